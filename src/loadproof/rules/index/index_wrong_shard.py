"""LP106 index-wrong-shard: the index maps tensors to the wrong shard."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import evidence_of, faults
from loadproof.rules.evidence.shards import deciding_index, set_of


def check(case: Case) -> Iterable[Found]:
    problems = faults(case, RULE.code)
    index = deciding_index(case)
    if not problems or index is None:
        return
    first = problems[0]
    count = f"{len(problems):,} tensors" if len(problems) > 1 else f"{first.tensor}"
    headline = f"{index.path}: {count} mapped to a shard that does not hold it"
    fix = Fix(f"write {index.path} anew from the shards", "lossless", (RebuildIndex(index.path, set_of(index)),))
    yield Found(
        severity="warning", confidence="certain", headline=headline, evidence=evidence_of(problems), fixes=(fix,)
    )


DOCS = RuleDocs(
    finds="Tensors that lie in another file than the index says.",
    why="Readers of whole files do not notice; readers that open the named file for one tensor fail.",
    errors=(
        "transformers, vLLM: no error",
        "device_map / offload tools: SafetensorError: File does not contain tensor",
    ),
    example="`model.norm.weight` is mapped to shard 1 and lies in shard 2.",
    fix="Write the index anew from the headers.",
    harmless="For every reader that reads whole files.",
)
RULE = Rule("LP106", "index-wrong-shard", "The index maps tensors to the wrong shard", check, DOCS)
