"""Annotations of GitHub Actions: workflow commands, one for each fault, and a plain line for each target."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.results import Checked, Checks
from loadproof.report.escape import LONG, clean, guard_line
from loadproof.report.issues import Issue, issues_of, shown_path
from loadproof.report.quoting import escaped
from loadproof.report.targets import cause_of, targets_of, verdict_of

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(result: Report | Checks, *, status: int = 0, **_: object) -> str:
    """Every fault as an annotation, the targets that are in order as a line of the log."""
    lines = []
    for target in targets_of(result, status):
        lines += [_annotation(issue) for issue in issues_of(target)]
        lines.append(guard_line(_line(target)))
    return "".join(f"{line}\n" for line in lines)


def _annotation(issue: Issue) -> str:
    title = issue.code if issue.finding is None else f"{issue.code} {issue.slug}"
    properties = {"file": shown_path(issue.path), "line": "" if issue.line is None else str(issue.line), "title": title}
    said = ",".join(f"{key}={escaped(value, 'workflow-property', LONG)}" for key, value in properties.items() if value)
    return f"::{_COMMANDS[issue.severity]} {said}::{'%0A'.join(_message(issue))}"


def _message(issue: Issue) -> list[str]:
    lines = [escaped(issue.text, "workflow-message")]
    if issue.finding is not None:
        lines += [escaped(f"fix ({fix.safety}): {fix.title}", "workflow-message") for fix in issue.finding.fixes]
        lines.append(f"loadproof explain {issue.code} says more")
    return lines


def _line(target: Checked) -> str:
    return f"{clean(target.location, LONG)}: {verdict_of(target)}: {cause_of(target)}"
