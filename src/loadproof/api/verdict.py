"""The verdict, as a pure function of what is known; the exit status follows from it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.families import count
from loadproof.core.findings import Finding
from loadproof.core.outcome import Row, Verdict
from loadproof.core.severity import reaches

# Faults that are dangerous or ugly but leave every weight where it belongs.
_BESIDE_THE_WEIGHTS = frozenset({"LP011", "LP012", "LP110", "LP015", "LP018", "LP019"})
# An unknown architecture whose code is not here, a pointer for a file: every way to load it ends in an exception.
_NEVER_LOADED = frozenset({"LP001", "LP701", "LP705"})


def decide(case: Case, findings: Iterable[Finding], unexplained: Iterable[Row]) -> Verdict:
    """One of the four verdicts (`fails` > `inconclusive` > `loads-wrong` > `loads`).

    A definite fault is stronger than an open question: a certain error makes `loads-wrong` of `inconclusive`.
    """
    findings = tuple(findings)
    if raises(case) or any(f.code in _NEVER_LOADED and f.severity == "error" for f in findings):
        return "fails"
    wrong = any(_is_wrong(finding) for finding in findings)
    if case.expectation.inconclusive or case.outcome.inconclusive:
        certain = any(
            _is_wrong(finding) and finding.confidence == "certain" and not _is_refusal(case, finding)
            for finding in findings
        )
        judged = bool(case.outcome.quantized) and _random(findings, unexplained)  # what is dense was judged to the end
        return "loads-wrong" if certain or judged else "inconclusive"
    return "loads-wrong" if wrong or _random(findings, unexplained) else "loads"


def raises(case: Case) -> bool:
    """Whether any stage of the reader ends in an exception."""
    stages = (case.selection.error, case.expectation.raises, case.outcome.raises)
    return any(stages) or any(map(case.reaction, problems_in_use(case)))


def problems_in_use(case: Case) -> list[Problem]:
    """Problems of the files that the reader opens: the selected weights, the index that decided, the config."""
    # with names only, a pointer stands for its file, and a link to nothing may
    absent = ("LP001", "LP114") if case.manifest.names_only else ()
    opened = {*case.selection.files, case.selection.entry, case.config.path}
    found = (*case.config.problems, *case.inventory.problems, *case.manifest.problems)
    return [problem for problem in found if problem.file in opened and problem.code not in absent]


def _is_wrong(finding: Finding) -> bool:
    return finding.severity == "error" and finding.code not in _BESIDE_THE_WEIGHTS


def _is_refusal(case: Case, finding: Finding) -> bool:
    """Whether it only says that a number of the config is too large to be expanded: then nothing was judged by it."""
    return finding.code == "LP014" and any(problem.detail == "bound" for problem in case.config.problems)


def _random(findings: tuple[Finding, ...], unexplained: Iterable[Row]) -> bool:
    """Whether a parameter stays unfilled that no finding calls harmless."""
    rows = [row for finding in findings if finding.severity != "info" for row in finding.rows]
    return any(row.kind != "unexpected" and count(row.axes) for row in (*rows, *unexplained))


def exit_status(verdict: Verdict, findings: Iterable[Finding], fail_on: str = "error") -> int:
    """0 loads, 1 fails / loads wrong / a finding at or above `fail_on`, 3 inconclusive; the same in every format."""
    if verdict in ("fails", "loads-wrong"):
        return 1
    if any(reaches(finding.severity, fail_on) for finding in findings):
        return 1
    return 3 if verdict == "inconclusive" else 0
