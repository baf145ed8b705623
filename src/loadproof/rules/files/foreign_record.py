"""LP018 foreign-record: a record of a repair that this user did not make for this folder."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults

_SEVERITIES: tuple[Severity, ...] = ("error", "warning")


def check(case: Case) -> Iterable[Found]:
    problems = faults(case, RULE.code)
    for severity in _SEVERITIES:
        group = [problem for problem in problems if problem.severity == severity]
        if group:
            yield _finding(group, severity)


def _finding(problems: list[Problem], severity: Severity) -> Found:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    evidence = evidence_of(problems) if len(problems) > 1 else ()
    fixes = (Fix(_advice([problem.file for problem in problems], first), "manual"),)
    return Found(severity=severity, confidence="certain", headline=first.text + more, evidence=evidence, fixes=fixes)


def _advice(names: list[str], first: Problem) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if first.detail in ("stray", "damaged"):
        return f"remove {shown}"
    return f"remove {shown}, or take over what you trust: loadproof undo --adopt-records"


RULE = Rule(
    code="LP018",
    slug="foreign-record",
    group="files",
    title="A record of a repair that you did not make",
    check=check,
    beside_weights=True,
)
