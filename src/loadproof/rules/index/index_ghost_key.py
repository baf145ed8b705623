"""LP104 index-ghost-key: the index names tensors that no shard holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import evidence_of, faults, lost_names
from loadproof.rules.evidence.shards import deciding_index, set_of


def check(case: Case) -> Iterable[Found]:
    problems = faults(case, RULE.code)
    index = deciding_index(case)
    if not problems or index is None:
        return
    first = problems[0]
    count = f"{len(problems):,} tensors" if len(problems) > 1 else f"{first.tensor}"
    headline = f"{index.path}: {count} named by the index and in no shard"
    rows = lost_names(case, [problem.tensor for problem in problems if problem.tensor])
    severity: Severity = "error" if rows else "warning"
    fix = Fix(f"write {index.path} anew from the shards", "lossless", (RebuildIndex(index.path, set_of(index)),))
    if rows:  # a new index would only hide that the tensor was once written
        fix = Fix("bring back the shard that held it: the index shows that it was written", "manual")
    yield Found(
        severity=severity,
        confidence="certain",
        headline=headline,
        evidence=evidence_of(problems),
        rows=tuple(rows),
        fixes=(fix,),
    )


DOCS = RuleDocs(
    finds="Entries of `weight_map` whose tensor is in none of the files.",
    why=(
        "The shard was written again without them, or the index comes from another save. transformers takes "
        "only the list of files from the index, so the entry itself does no harm; the tensor is missing all the "
        "same."
    ),
    errors=(
        "transformers: MISSING where the model wants it, otherwise nothing",
        "llama.cpp convert: ValueError: Missing tensors",
    ),
    example=("`lm_head.weight` is mapped to model-00002-of-00002.safetensors, whose header does not hold it."),
    fix=(
        "Write the index anew. Where the model wants the tensor nothing is written: the index is the only trace of it, and "
        "the shard that held it must be brought back."
    ),
    harmless="When no parameter is missing, only tools that trust the index stumble.",
)
RULE = Rule("LP104", "index-ghost-key", "The index names tensors that no shard holds", check, DOCS)
