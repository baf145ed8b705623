"""One finding as lines: headline, evidence with its places aligned, and the ``=`` lines below it."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Finding, Note
from loadproof.report.commands import fix_command
from loadproof.report.escape import clean
from loadproof.report.style import Line
from loadproof.report.words import failure, one_line, outcome_text, plural, row_text, tally_text, total

SHOWN_EVIDENCE = 5
_WIDE = 132  # columns that one line may take
_WIDEST = 36  # a longer place pushes its own text only


def finding_lines(finding: Finding, report: Report, *, first: bool, verbose: bool) -> list[Line]:
    """All lines of a finding, at most about 16 without `verbose`."""
    tag = f"{finding.severity}[{finding.code}]"
    outcome = _outcome_note(finding)
    said = Note("reader", failure(report)) if first and not outcome else None  # the outcome line quotes it
    lines: list[Line] = [
        ((finding.severity, tag), ("bold", f" {finding.slug}"), ("bold", f": {clean(finding.headline)}")),
        *_evidence_lines([item for item in finding.evidence if not item.label], verbose),
        *_labelled_lines([item for item in finding.evidence if item.label]),
        *_note_lines([note for note in finding.notes if note not in outcome and note != said]),
        *_explains_line(finding, report),
        *(_note_lines(outcome) or (_outcome_line(report) if first else [])),
    ]
    lines += [line for fix in finding.fixes for line in _fix_lines(fix, finding, report)]
    return lines + (_row_lines(finding) if verbose else [])


def _evidence_lines(items: list[Evidence], verbose: bool) -> list[Line]:
    shown = items if verbose else items[:SHOWN_EVIDENCE]
    places = [clean(str(item.where)) for item in shown]
    width = max((len(place) for place in places if len(place) <= _WIDEST), default=0)
    lines: list[Line] = [
        (("mark", "  --> "), ("place", f"{place:<{width}}"), ("", f"  {clean(item.text)}"))
        for place, item in zip(places, shown, strict=True)
    ]
    if hidden := len(items) - len(shown):
        lines.append((("dim", f"      ... and {plural(hidden, 'more place')} (-v shows all)"),))
    return lines


def _labelled_lines(items: list[Evidence]) -> list[Line]:
    """``= layers   config  LLLF`` and the like; a repeated label is printed once."""
    lines: list[Line] = []
    previous = ""
    for item in items:
        head = f"   = {item.label:<9}" if item.label != previous else " " * 14
        where = clean(str(item.where))
        place = f"{where:<7} " if item.label == "layers" else f"{where}   " if where else ""
        lines.append((("mark", head), ("place", place), ("", clean(item.text))))
        previous = item.label
    return lines


def _outcome_note(finding: Finding) -> list[Note]:
    """What the rule itself says of the outcome; it stands where the report's own sentence would."""
    return [note for note in finding.notes if note.label == "outcome"]


def _note_lines(notes: list[Note]) -> list[Line]:
    texts = [one_line(note.text) if "\n" in note.text else note.text for note in notes]
    return [
        (("mark", f"   = {clean(note.label):<9}"), ("", clean(text))) for note, text in zip(notes, texts, strict=True)
    ]


def _explains_line(finding: Finding, report: Report) -> list[Line]:
    reported = total(report.case.outcome.rows)
    if finding.behind:
        return _behind_line(finding, reported)
    if not finding.explains or not reported:
        return [] if finding.confidence == "certain" else [(("mark", "   = trust    "), ("", finding.confidence))]
    kinds = f" ({tally_text(finding.rows)})" if finding.rows else ""
    text = f"{finding.explains:,} of {plural(reported, 'row')}{kinds}; confidence {finding.confidence}"
    return [(("mark", "   = explains "), ("", text))]


def _behind_line(finding: Finding, reported: int) -> list[Line]:
    """Rows of its own, if any of them are reported today, and those that the causes before it hide."""
    hidden, before = total(finding.rows) - finding.explains, " and ".join(finding.behind)
    parts = [f"{finding.explains:,} of {plural(reported, 'row')}"] if finding.explains else []
    parts += [f"{plural(hidden, 'row')} that {'shows' if hidden == 1 else 'show'}"] if hidden > 0 else []
    kinds = f" ({tally_text(finding.rows)})" if finding.rows else ""
    once = f"{'is seen' if not parts else 'seen' if hidden <= 0 else ''} once {before} is fixed".strip()
    text = f"{' and '.join(parts)} {once}{kinds}; confidence {finding.confidence}".strip()
    return [(("mark", f"   = {'explains' if parts else 'behind':<9}"), ("", text))]


def _outcome_line(report: Report) -> list[Line]:
    if report.verdict not in ("fails", "loads-wrong"):
        return []
    return [(("mark", "   = outcome  "), ("", clean(outcome_text(report), _WIDE)))]


def _fix_lines(fix: Fix, finding: Finding, report: Report) -> list[Line]:
    """The repair with the command that plans it, on one line where that is short enough."""
    loss = f" (loses {clean(fix.loss)})" if fix.loss else ""
    tone = "good" if fix.safety == "lossless" else "bold"
    line: Line = (("mark", "   = fix      "), (tone, f"{fix.safety}: "), ("", clean(fix.title) + loss))
    if not fix.edits:
        return [line]
    command = fix_command(report, finding, fix)
    if sum(len(text) for _, text in line) + 6 + len(command) <= _WIDE:
        return [(*line, ("command", f"      {command}"))]
    return [line, (("command", " " * 14 + command),)]


def _row_lines(finding: Finding) -> list[Line]:
    return [(("dim", f"      {row.kind:<11}"), ("dim", clean(row_text(row)))) for row in finding.rows]
