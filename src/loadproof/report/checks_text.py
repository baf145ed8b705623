"""Many checkpoints for people: one table, and what is wrong with several of them said once."""

from __future__ import annotations

import shlex

from loadproof.core.case import Report
from loadproof.core.results import Checked, Checks
from loadproof.report.escape import clean, guard_line
from loadproof.report.style import Line, fold_line, paint
from loadproof.report.targets import cause_of, headline_of, tally_line, verdict_of
from loadproof.report.text import report_lines
from loadproof.report.words import plural

SHOWN_CAUSES = 8
_LONG = 4096  # characters of a path
_WIDEST = 60  # columns of a path; a longer one pushes its own cause only
_TONE = {0: "good", 1: "error", 2: "error", 3: "warning"}


def render_checks(
    checks: Checks,
    *,
    verbose: bool = False,
    quiet: bool = False,
    color: bool = False,
    width: int | None = None,
    **_: object,
) -> str:
    """The table, the causes that concern several, and the sum; `verbose` puts the whole reports before, `quiet` leaves the sum."""
    lines = [] if quiet else _reports(checks, verbose) + _table(checks) + _causes(checks)
    lines.append((("bold", "result   "), (_TONE[checks.status], tally_line(checks.targets))))
    folded = [piece for line in lines for piece in fold_line(line, width, 9)]
    return "".join(guard_line(paint(line, color)) + "\n" for line in folded)


def _reports(checks: Checks, verbose: bool) -> list[Line]:
    if not verbose:
        return []
    lines: list[Line] = []
    for target in checks.targets:
        if target.report is not None:
            lines += [(("bold", clean(target.location, _LONG)),), *report_lines(target.report, verbose), ()]
    return lines


def _table(checks: Checks) -> list[Line]:
    places = [clean(target.location, _LONG) for target in checks.targets]
    width = max((len(place) for place in places if len(place) <= _WIDEST), default=0)
    lines: list[Line] = [
        (
            (_TONE[target.status], f"{verdict_of(target):<14}"),
            ("place", f"{place:<{width}}"),
            ("", f"  {'' if verdict_of(target) == 'loads' else cause_of(target)}"),
        )
        for place, target in zip(places, checks.targets, strict=True)
    ]
    return [*lines, ()] if lines else []


def _causes(checks: Checks) -> list[Line]:
    """The causes that several share, the most frequent first, with a command that shows one of them whole."""
    found: dict[str, list[Checked]] = {}
    for target in checks.targets:
        for headline in _errors(target.report):
            found.setdefault(headline, []).append(target)
    shared = sorted((item for item in found.items() if len(item[1]) > 1), key=lambda item: -len(item[1]))
    lines: list[Line] = []
    for headline, targets in shared[:SHOWN_CAUSES]:
        lines.append((("error", f"{len(targets):>6} x  "), ("bold", headline)))
        command = f"loadproof check {shlex.quote(targets[0].location)}"
        lines.append((("mark", " " * 10), ("command", clean(command, _LONG))))
    if len(shared) > SHOWN_CAUSES:
        lines.append((("dim", f"          ... and {plural(len(shared) - SHOWN_CAUSES, 'more cause')} (-v shows all)"),))
    return [*lines, ()] if lines else []


def _errors(report: Report | None) -> list[str]:
    findings = () if report is None else report.findings
    return list(dict.fromkeys(headline_of(one) for one in findings if one.severity == "error"))
