"""The answer to a pasted error: what was understood, the first cause in full, the next ones in brief; one screen."""

from __future__ import annotations

import shlex

from loadproof.core.case import Report
from loadproof.core.findings import Finding
from loadproof.core.places import about
from loadproof.core.symptom import Symptom
from loadproof.report.escape import clean, guard_line
from loadproof.report.finding_text import finding_lines
from loadproof.report.style import Line, fold_line, paint

WIDTH = 116
SCREEN = 25  # lines without -v
SHOWN = 3  # causes shown without -v
_RUNNING = {"confirms", "refutes", "tells", "do", "next", "known"}


def render_explanation(
    report: Report, *, verbose: bool = False, color: bool = False, width: int | None = None, **_: object
) -> str:
    """The whole answer, each line ended by a newline; at most `SCREEN` lines unless `verbose`.

    Lines are folded to `width`, the columns of a terminal; without one only the running text is, at `WIDTH`.
    """
    symptom = report.case.symptom or Symptom()
    lines = [*_folded(_understood(symptom), width), ()]
    if not report.findings:
        lines += _not_recognised(symptom, report)
    for position, finding in enumerate(report.findings if verbose else report.findings[:SHOWN]):
        block = _folded(_cause(finding, report, position, verbose), width)
        if not verbose and position and len(lines) + len(block) > SCREEN - 2:
            break
        lines += block
    hidden = len(report.findings) - sum(1 for line in lines if line and line[0][0] == "rank")
    lines += _folded(_closing(report, hidden), width)
    return "".join(guard_line(paint(_plain(line), color)) + "\n" for line in lines)


def _folded(lines: list[Line], width: int | None) -> list[Line]:
    return [piece for line in lines for piece in _pieces(line, width)]


def _pieces(line: Line, width: int | None) -> list[Line]:
    """Running text is folded everywhere; the lines of a check's own finding only at a terminal."""
    first = line[0][1] if line else ""
    running = len(line) == 1 or first.strip("= ") in _RUNNING
    columns = min(width or WIDTH, WIDTH) if running else width
    return fold_line(line, columns, _indent(first))


def _indent(first: str) -> int:
    """Where the text of a line begins: below ``= mark``, the place of an evidence, ``1.`` or ``verdict``."""
    if first.startswith("   = "):
        return 14
    return 6 if "--> " in first else 3 if first[:1].isdigit() else 9


def _plain(line: Line) -> Line:
    return tuple(("bold" if role == "rank" else role, text) for role, text in line)


def _understood(symptom: Symptom) -> list[Line]:
    """``read as   vllm 0.19.1, cache-init, KeyError`` and what else the text tells."""
    engine = " ".join(part for part in (symptom.engine, symptom.engine_version) if part)
    parts = [part for part in (engine, symptom.phase, symptom.exception) if part]
    lines: list[Line] = [(("bold", "read as  "), ("", clean(", ".join(parts))))] if parts else []
    said = symptom.message.strip().split("\n")[0]
    if said:
        lines.append((("bold", "text     "), ("", clean(said, WIDTH - 9))))
    counts = [
        f"{len(rows):,} {what}"
        for what, rows in (
            ("missing", symptom.missing),
            ("unexpected", symptom.unexpected),
            ("of another size", symptom.mismatched),
        )
        if rows
    ]
    facts = [f"{key} {value}" for key, value in symptom.run.items() if key != "model"]
    if facts or counts:
        told = "; ".join(part for part in (", ".join(counts), ", ".join(facts)) if part)
        lines.append((("bold", "facts    "), ("", clean(told, WIDTH - 9))))
    return lines


def _cause(finding: Finding, report: Report, position: int, verbose: bool) -> list[Line]:
    tell = finding.how_to_tell
    if tell is None:
        return _found(finding, report, position, verbose)
    head = f"{position + 1}. {finding.confidence:<9}{finding.code} {finding.slug}: {finding.headline}"
    lines: list[Line] = [(("rank", clean(head, WIDTH * 3)),)]
    if position and not verbose:
        return [*lines, *_marked("tells", tell.confirms, 2), *_next(tell.next, report)]
    lines += [
        (("mark", "   --> "), ("place", clean(str(item.where))), ("", f"  {clean(item.text, WIDTH)}"))
        for item in finding.evidence
        if item.label != "note" and (item.where != about("error text") or item.text != _said(report))
    ]
    lines += [*_marked("confirms", tell.confirms, 2), *_marked("refutes", tell.refutes, 2)]
    lines += [line for fix in finding.fixes for line in _marked("do", _command(fix.title, report), 3)]
    lines += _next(tell.next, report)
    return lines + (_marked("known", ", ".join(tell.see), 1) if tell.see else [])


def _said(report: Report) -> str:
    """The line that is printed above all causes; a cause found in another line of the log shows its own."""
    return (report.case.symptom or Symptom()).message.strip().split("\n")[0][:240]


def _next(command: str, report: Report) -> list[Line]:
    """The command to type next; not the check that was just done."""
    if report.case.checkpoint is not None and command.startswith(("loadproof check", "loadproof explain")):
        return []
    return _marked("next", _command(command, report), 2, "command")


def _found(finding: Finding, report: Report, position: int, verbose: bool) -> list[Line]:
    """A fault that the check found in the checkpoint, in the form of the check's own report."""
    lines = finding_lines(finding, report, first=False, verbose=verbose)
    lines[0] = (("rank", f"{position + 1}. "), *lines[0], ("dim", f"  [{finding.confidence}]"))
    return lines if verbose or not position else lines[:2] + lines[-1:]


def _marked(mark: str, text: str, most: int, role: str = "") -> list[Line]:
    return [(("mark", f"   = {mark:<9}"), (role, clean(text, (WIDTH - 14) * most)))]


def _command(text: str, report: Report) -> str:
    if report.case.checkpoint is None:
        return text
    return text.replace("PATH", shlex.quote(report.case.inventory.location))


def _not_recognised(symptom: Symptom, _report: Report) -> list[Line]:
    if symptom.elsewhere:
        return [(("bold", "not a checkpoint problem"), ("", f": {clean(symptom.elsewhere)}"))]
    lines: list[Line] = [(("warning", "not recognised"), ("", ": no entry of the knowledge base fits this text"))]
    if symptom.names:
        lines.append((("bold", "names    "), ("", clean(", ".join(symptom.names[:4]), WIDTH - 9))))
    if symptom.frames:
        lines.append((("bold", "frame    "), ("", clean(symptom.frames[-1], WIDTH - 9))))
    advice = "paste the whole log from the first traceback on; loadproof check PATH tells whether the files are sound"
    return [*lines, (("bold", "next     "), ("", advice))]


def _closing(report: Report, hidden: int) -> list[Line]:
    lines: list[Line] = []
    if hidden > 0:
        lines.append((("dim", f"... and {hidden} less probable (-v shows all)"),))
    if report.case.checkpoint is not None:
        lines.append((("bold", "verdict  "), ("", f"{report.verdict} ({clean(report.case.inventory.location)})")))
    elif report.findings:
        lines.append((("dim", "from the text alone; --checkpoint PATH decides between the causes"),))
    return lines
