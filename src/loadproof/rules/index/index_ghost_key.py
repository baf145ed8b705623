"""LP104 index-ghost-key: the index names tensors that no shard holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults, lost_names
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


RULE = Rule(
    code="LP104",
    slug="index-ghost-key",
    group="index",
    title="The index names tensors that no shard holds",
    check=check,
)
