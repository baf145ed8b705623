"""The report for people: the cause first, its evidence aligned, what it explains, what fixes it, what was skipped."""

from __future__ import annotations

import re

from loadproof.core.case import Report
from loadproof.core.coverage import Skip
from loadproof.core.outcome import Row, Verdict
from loadproof.report.escape import clean, guard_line
from loadproof.report.finding_text import finding_lines
from loadproof.report.style import Line, fold_line, paint
from loadproof.report.words import (
    devices_text,
    plural,
    reader_name,
    row_text,
    size_text,
    tally_text,
    total,
    verdict_text,
)

SHOWN_ROWS = 6  # unexplained rows shown without -v
SHOWN_FINDINGS = 8
SHOWN_SKIPS = 3
_FILE = re.compile(r"\.[a-z]\w*\Z")
_TONE: dict[Verdict, str] = {"loads": "good", "loads-wrong": "error", "fails": "error", "inconclusive": "warning"}


def render_text(
    report: Report,
    *,
    verbose: bool = False,
    quiet: bool = False,
    color: bool = False,
    width: int | None = None,
    **_: object,
) -> str:
    """The whole report, each line ended by a newline. `quiet` leaves only the verdict, `verbose` adds every row.

    With a `width` long lines are folded under their own text; without one every line stays whole.
    """
    lines = [_verdict_line(report)] if quiet else report_lines(report, verbose)
    folded = [piece for line in lines for piece in fold_line(line, width, _indent(line))]
    return "".join(guard_line(paint(line, color)) + "\n" for line in folded)


def _indent(line: Line) -> int:
    """Where the text of a line begins: below ``= label`` and below ``verdict``, not below the place of an evidence."""
    first = line[0][1] if line else ""
    return 14 if first.startswith("   = ") else 9 if first[:1].isalpha() and first.endswith("  ") else 6


def report_lines(report: Report, verbose: bool) -> list[Line]:
    """The report as styled lines: findings, unexplained rows, verdict and coverage."""
    lines: list[Line] = []
    shown = report.findings if verbose else report.findings[:SHOWN_FINDINGS]
    for position, finding in enumerate(shown):
        lines += [*finding_lines(finding, report, first=position == 0, verbose=verbose), ()]
    if hidden := len(report.findings) - len(shown):
        lines += [(("dim", f"... and {plural(hidden, 'more finding')} (-v shows all)"),), ()]
    lines += _unexplained_lines(report.unexplained, verbose)
    return [*lines, _verdict_line(report), *_accepted_lines(report, verbose), *_coverage_lines(report, verbose)]


def _unexplained_lines(rows: tuple[Row, ...], verbose: bool) -> list[Line]:
    if not rows:
        return []
    shown = rows if verbose else rows[:SHOWN_ROWS]
    lines: list[Line] = [(("warning", "unexplained"), ("", f": {tally_text(rows)}; no known cause fits"))]
    lines += [(("mark", "  --> "), ("bold", f"{row.kind:<11}"), ("", clean(row_text(row)))) for row in shown]
    if len(shown) < len(rows):
        lines.append((("dim", f"      ... and {plural(total(rows[len(shown) :]), 'more name')} (-v shows all)"),))
    return [*lines, ()]


def _verdict_line(report: Report) -> Line:
    role = _TONE[report.verdict]
    return (("bold", "verdict  "), (role, report.verdict), ("", f": {clean(verdict_text(report))}"))


def _accepted_lines(report: Report, verbose: bool) -> list[Line]:
    """What the policy sets apart: said in every report, so that nobody takes silence for health."""
    shown = report.accepted if verbose else report.accepted[:SHOWN_SKIPS]
    lines: list[Line] = [
        (
            ("bold", "accepted "),
            (one.finding.severity, f"{one.finding.severity}[{one.finding.code}]"),
            ("", f" {clean(one.finding.headline)}"),
            ("dim", f": {clean(one.reason)}"),
        )
        for one in shown
    ]
    if hidden := len(report.accepted) - len(shown):
        lines.append((("bold", "accepted "), ("dim", f"{hidden} more (-v shows all)")))
    return lines


def _coverage_lines(report: Report, verbose: bool) -> list[Line]:
    expectation = report.case.expectation
    lines: list[Line] = [(("bold", "device   "), ("", clean(text))) for text in devices_text(report)]
    lines.append((("bold", "checked  "), ("", clean(_checked(report, verbose)))))
    if verbose and expectation.wall:
        lines.append((("bold", "wall     "), ("", clean(f"the model source was evaluated apart: {expectation.wall}"))))
    skips = report.skipped if verbose else _grouped(report.skipped)
    shown = skips if verbose else skips[:SHOWN_SKIPS]
    lines += [(("bold", "skipped  "), ("", clean(skip.what)), ("dim", f": {clean(skip.why)}")) for skip in shown]
    if hidden := len(skips) - len(shown):
        lines.append((("bold", "skipped  "), ("dim", f"{hidden} more (-v shows all)")))
    if expectation.hint and report.verdict == "inconclusive":
        lines.append((("bold", "hint     "), ("command", clean(expectation.hint))))
    return lines


def _grouped(skips: tuple[Skip, ...]) -> tuple[Skip, ...]:
    """Skips of one reason as one: ``12 files (model-00001-of-00012.safetensors to ...)``."""
    subjects: dict[str, list[str]] = {}
    for skip in skips:
        subjects.setdefault(skip.why, []).append(skip.what)
    return tuple(Skip(_subject(what), why) for why, what in subjects.items())


def _subject(what: list[str]) -> str:
    """One subject as it is, two by name, more by their number with the first and the last."""
    if len(what) < 3:
        return " and ".join(what)
    noun = "files" if all(_FILE.search(name) for name in what) else "items"
    return f"{len(what):,} {noun} ({what[0]} to {what[-1]})"


def _checked(report: Report, verbose: bool) -> str:
    """``339 tensors in 12 files (165.1 kB) against LlamaForCausalLM of transformers 5.24.0``."""
    manifest, expectation = report.case.manifest, report.case.expectation
    absent = len(report.case.selection.files) - len(manifest.files) if manifest.names_only else 0
    text = f"{plural(manifest.tensors, 'tensor')} in {plural(len(manifest.files), 'file')}"
    if absent > 0:
        text += f" and the index of {absent:,} more" if manifest.files else f", by the index of {absent:,}"
    if manifest.bytes:
        text += f" ({size_text(manifest.bytes)})"
    if expectation.families:
        text += f" against {expectation.class_name} of {reader_name(report)}"
    if expectation.base is not None and expectation.base.path is not None:
        text += f", base {expectation.base.named or expectation.base.path}"
    return f"{text}: {', '.join(report.checked)}" if verbose else text
