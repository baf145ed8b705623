"""JUnit XML: a suite for each checkpoint; its verdict is one case, and each finding another."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loadproof.core.case import Report
from loadproof.core.results import Checked, Checks
from loadproof.core.severity import reaches
from loadproof.report.escape import LONG, guard_line
from loadproof.report.issues import Issue, accepted_of, issues_of
from loadproof.report.quoting import escaped
from loadproof.report.style import paint
from loadproof.report.targets import cause_of, targets_of, verdict_of
from loadproof.report.text import report_lines

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


class _Test(Struct, frozen=True):
    """`outcome`: "" passed, failure, error or skipped."""

    name: str
    outcome: str = ""
    message: str = ""
    body: tuple[str, ...] = ()


def render_junit(result: Report | Checks, *, status: int = 0, fail_on: str = "error", **_: object) -> str:
    """One document, the counts of its suites added up. A finding below `fail_on` passes, and says what it is."""
    suites = [(target, list(_cases(target, fail_on))) for target in targets_of(result, status)]
    every = [case for _, cases in suites for case in cases]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="loadproof" {_counts(every, "failures", "errors")}>',
        *(line for target, cases in suites for line in _suite(target, cases)),
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _cases(target: Checked, fail_on: str) -> Iterator[_Test]:
    yield _verdict(target)
    for issue in accepted_of(target):
        yield _Test(f"{issue.code} {issue.slug}", "skipped", f"accepted ({issue.accepted}): {issue.text}")
    for issue in issues_of(target):
        if issue.finding is not None:
            outcome = "failure" if reaches(issue.severity, fail_on) else ""
            yield _Test(f"{issue.code} {issue.slug}", outcome, f"{issue.severity}: {issue.text}", _body(issue))


def _verdict(target: Checked) -> _Test:
    """What the exit status says of it: a verdict that a policy accepts does not fail."""
    outcome = {0: "", 1: "failure", 2: "error", 3: "skipped"}[target.status]
    if target.report is None or not outcome:
        return _Test("verdict", outcome, f"{verdict_of(target)}: {cause_of(target)}")
    body = tuple(paint(line, False) for line in report_lines(target.report, False))
    return _Test("verdict", outcome, f"{verdict_of(target)}: {cause_of(target)}", body)


def _body(issue: Issue) -> tuple[str, ...]:
    finding = issue.finding
    if finding is None:
        return ()
    evidence = (f"{item.where}: {item.text}" for item in finding.evidence if not item.label)
    return (*evidence, *(f"fix ({fix.safety}): {fix.title}" for fix in finding.fixes))


def _suite(target: Checked, cases: list[_Test]) -> Iterator[str]:
    name = escaped(target.location, "markup", LONG)
    seconds = 0.0 if target.report is None else target.report.timings.total_s
    yield f'  <testsuite name="{name}" {_counts(cases, "failures", "errors", "skipped")} time="{seconds:.3f}">'
    for case in cases:
        yield from _case(case, name)
    yield "  </testsuite>"


def _case(case: _Test, suite: str) -> Iterator[str]:
    message = escaped(case.message, "markup")
    body = "\n".join(guard_line(escaped(line, "markup", LONG)) for line in case.body)
    yield f'    <testcase classname="{suite}" name="{escaped(case.name, "markup")}">'
    if case.outcome == "skipped":
        yield f'      <skipped message="{message}"/>'
    elif case.outcome:
        yield f'      <{case.outcome} message="{message}" type="{case.outcome}">{body}</{case.outcome}>'
    elif case.message:
        yield f"      <system-out>{message}</system-out>"
    yield "    </testcase>"


def _counts(cases: list[_Test], *named: str) -> str:
    """What the schema of Jenkins allows at this level."""
    outcomes = [case.outcome for case in cases]
    return f'tests="{len(cases)}" ' + " ".join(f'{key}="{outcomes.count(_COUNTED[key])}"' for key in named)
