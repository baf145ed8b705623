"""LP106 index-wrong-shard: the index maps tensors to the wrong shard."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults
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


RULE = Rule(
    code="LP106",
    slug="index-wrong-shard",
    group="index",
    title="The index maps tensors to the wrong shard",
    check=check,
)
