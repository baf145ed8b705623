"""The verdict, as a pure function of what is known; the exit status follows from it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case, Report
from loadproof.core.checkpoint import Problem
from loadproof.core.families import count
from loadproof.core.findings import Finding
from loadproof.core.outcome import Row, Verdict
from loadproof.core.severity import reaches
from loadproof.rules.catalogue import rule_of


def decide(case: Case, findings: Iterable[Finding], unexplained: Iterable[Row]) -> Verdict:
    """One of the four verdicts (`fails` > `inconclusive` > `loads-wrong` > `loads`).

    A definite fault is stronger than an open question: a certain error makes `loads-wrong` of `inconclusive`.
    """
    findings = tuple(findings)
    if raises(case) or any(_never_loads(finding) for finding in findings):
        return "fails"
    wrong = any(_is_wrong(finding) for finding in findings) or _takes_effect_in_part(case)
    if case.expectation.inconclusive or case.outcome.inconclusive:
        certain = any(
            _is_wrong(finding) and finding.confidence == "certain" and not _is_refusal(case, finding)
            for finding in findings
        )
        judged = bool(case.outcome.quantized) and _random(findings, unexplained)  # what is dense was judged to the end
        return "loads-wrong" if certain or judged else "inconclusive"
    return "loads-wrong" if wrong or _random(findings, unexplained) else "loads"


def _takes_effect_in_part(case: Case) -> bool:
    """An adapter of which a stored tensor reaches nothing, or that takes the place of weights of its base."""
    load = case.outcome.adapter
    if load is None or case.outcome.inconclusive:
        return False
    return bool(load.overwritten) or any(row.kind in ("missing", "unexpected") for row in case.outcome.rows)


def raises(case: Case) -> bool:
    """Whether any stage of the reader ends in an exception."""
    return case.outcome.raises or not opens(case)


def opens(case: Case) -> bool:
    """Whether the reader finds its files, builds the model and opens every file: only then it compares names."""
    early = (case.selection.error, case.expectation.raises)
    return not any(early) and not any(map(case.reaction, problems_in_use(case)))


def problems_in_use(case: Case) -> list[Problem]:
    """Problems of the files that the reader opens: the selected weights, the index that decided, the config."""
    opened = {*case.selection.files, case.selection.entry, case.config.path}
    problems = (*case.config.problems, *case.inventory.problems, *case.manifest.problems)
    found = [problem for problem in problems if problem.file in opened]
    # with names only, a pointer stands for its file, and a link to nothing may
    return [one for one in found if not _needs_content(one.code)] if case.manifest.names_only else found


def _needs_content(code: str) -> bool:
    rule = rule_of(code)
    return rule is not None and rule.needs_content


def _never_loads(finding: Finding) -> bool:
    """An error of a rule such as a pointer for a file, or an architecture whose code is not here."""
    rule = rule_of(finding.code) if finding.severity == "error" else None
    return rule is not None and rule.never_loads


def _is_wrong(finding: Finding) -> bool:
    rule = rule_of(finding.code) if finding.severity == "error" else None
    return finding.severity == "error" and not (rule is not None and rule.beside_weights)


def _is_refusal(case: Case, finding: Finding) -> bool:
    """Whether it only says that the config, or a number of it, is too large for us: then nothing was judged by it."""
    refused = (("LP014", "bound"), ("LP013", "huge"))
    return any(p.code == finding.code and (p.code, p.detail) in refused for p in case.config.problems)


def _random(findings: tuple[Finding, ...], unexplained: Iterable[Row]) -> bool:
    """Whether a parameter stays unfilled that no finding calls harmless."""
    rows = [row for finding in findings if finding.severity != "info" for row in finding.rows]
    return any(row.kind != "unexpected" and count(row.axes) for row in (*rows, *unexplained))


def exit_status(
    verdict: Verdict, findings: Iterable[Finding], fail_on: str = "error", *, allow_inconclusive: bool = False
) -> int:
    """0 loads, 1 fails / loads wrong / a finding at or above `fail_on`, 3 inconclusive; the same in every format.

    With `allow_inconclusive` what could not be judged is no failure: 0 where nothing that was judged is wrong.
    """
    if verdict in ("fails", "loads-wrong"):
        return 1
    if any(reaches(finding.severity, fail_on) for finding in findings):
        return 1
    return 3 if verdict == "inconclusive" and not allow_inconclusive else 0


def status_of(report: Report, fail_on: str = "error", *, allow_inconclusive: bool = False) -> int:
    """`exit_status` of a report, under the policy that was applied to it.

    A verdict whose every cause the policy accepts is no failure. A parameter that is known to stay unfilled is never
    allowed as merely unjudged.
    """
    judged_wrong = any(row.kind != "unexpected" and count(row.axes) for row in report.unexplained)
    verdict: Verdict = "loads" if _is_accepted(report) and not judged_wrong else report.verdict
    return exit_status(verdict, report.findings, fail_on, allow_inconclusive=allow_inconclusive and not judged_wrong)


def _is_accepted(report: Report) -> bool:
    """Whether every finding that carries the verdict was accepted or regraded by the policy, and there is one."""
    if report.verdict not in ("fails", "loads-wrong"):
        return False
    was = {finding.code: finding for finding in report.regraded}
    left = [finding for finding in report.findings if finding.code not in was]
    touched = [*report.regraded, *(one.finding for one in report.accepted)]
    return any(map(_carries, touched)) and not any(map(_carries, left))


def _carries(finding: Finding) -> bool:
    return _is_wrong(finding) or _random((finding,), ())
