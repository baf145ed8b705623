"""Markdown for a comment on a pull request, a step summary or a model card: a table, then each fault with its fix."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Report
from loadproof.core.findings import Finding
from loadproof.core.results import Checked, Checks
from loadproof.report.commands import fix_command
from loadproof.report.escape import LONG, clean, guard_line
from loadproof.report.issues import Issue, accepted_of, issues_of
from loadproof.report.quoting import code_span, escaped, fence
from loadproof.report.targets import cause_of, tally_line, targets_of, verdict_of
from loadproof.report.words import plural
from loadproof.version import __version__

MOST = 60_000  # characters; a comment on GitHub takes 65,536
_MOST_ROWS = 200
_SHOWN_EVIDENCE = 5


def render_markdown(result: Report | Checks, *, status: int = 0, **_: object) -> str:
    """At most `MOST` characters, whole sections; what was left out is counted at the end."""
    targets = targets_of(result, status)
    wrong = [target for target in targets if issues_of(target) or accepted_of(target)]
    sections = [_head(targets), *(_section(target, len(targets) > 1) for target in wrong)]
    return _cut(["".join(f"{guard_line(line)}\n" for line in section) for section in sections])


def _cut(sections: list[str]) -> str:
    end = f"\nWritten by loadproof {__version__}.\n"
    text = ""
    for number, section in enumerate(sections):
        if len(text) + len(section) > MOST and number:
            return f"{text}\n{plural(len(sections) - number, 'more checkpoint')} left out: the text would be too long.\n{end}"
        text += section
    return text + end


def _head(targets: tuple[Checked, ...]) -> Iterator[str]:
    if len(targets) == 1:
        yield f"### loadproof: {verdict_of(targets[0])}"
    else:
        yield f"### loadproof: {tally_line(targets)}"
    yield ""
    yield "| checkpoint | verdict | cause |"
    yield "|---|---|---|"
    for target in targets[:_MOST_ROWS]:
        place = code_span(target.location, in_table=True, limit=LONG)
        yield f"| {place} | {verdict_of(target)} | {escaped(cause_of(target), 'cell')} |"
    if len(targets) > _MOST_ROWS:
        yield f"\n... and {len(targets) - _MOST_ROWS:,} more"


def _section(target: Checked, folded: bool) -> Iterator[str]:
    yield ""
    if folded:
        yield f"<details><summary><code>{escaped(target.location, 'markup', LONG)}</code></summary>"
        yield ""
    for issue in issues_of(target):
        yield from _issue(issue, target.report)
        yield ""
    for issue in accepted_of(target):
        yield f"- accepted ({escaped(issue.accepted, 'markdown')}): {issue.code} {escaped(issue.text, 'markdown')}"
    if folded:
        yield "</details>"


def _issue(issue: Issue, report: Report | None) -> Iterator[str]:
    name = issue.code if issue.finding is None else f"{issue.code} {issue.slug}"
    yield f"**{issue.severity} {name}**: {escaped(issue.text, 'markdown')}"
    if issue.finding is not None and report is not None:
        yield from _details(issue.finding, report)


def _details(finding: Finding, report: Report) -> Iterator[str]:
    yield ""
    shown = [item for item in finding.evidence if not item.label]
    for item in shown[:_SHOWN_EVIDENCE]:
        yield f"- {code_span(str(item.where))} {escaped(item.text, 'markdown')}"
    if len(shown) > _SHOWN_EVIDENCE:
        yield f"- ... and {plural(len(shown) - _SHOWN_EVIDENCE, 'more place')}"
    strips = [f"{clean(str(item.where)):<8}{clean(item.text)}" for item in finding.evidence if item.label == "layers"]
    yield from _block(strips)
    if strips:
        yield ""
    for fix in finding.fixes:
        yield f"- fix ({fix.safety}): {escaped(fix.title, 'markdown')}"
    commands = [fix_command(report, finding, fix) for fix in finding.fixes if fix.edits]
    yield from _block(list(dict.fromkeys(commands)), "bash")


def _block(lines: list[str], language: str = "") -> Iterator[str]:
    if lines:
        mark = fence("\n".join(lines))
        yield from ("", f"{mark}{language}", *lines, mark)
