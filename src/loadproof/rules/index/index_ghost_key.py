"""LP104 index-ghost-key: the index names tensors that no shard holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, lost_names
from loadproof.rules.evidence.index_faults import headline_of, index_problems, rebuilt


def check(case: Case) -> Iterable[Found]:
    found = index_problems(case, RULE.code)
    if found is None:
        return
    index, problems = found
    headline = headline_of(index, problems, "named by the index and in no shard")
    rows = lost_names(case, [problem.tensor for problem in problems if problem.tensor])
    severity: Severity = "error" if rows else "warning"
    fix = rebuilt(index)
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
    cured_by=(DropTensors,),
)
