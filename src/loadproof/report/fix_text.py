"""A repair for people: what is fixed, what happens to which file, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from loadproof.core.case import Report
from loadproof.core.repairs import REPAIRED_COPY, Change, Choice, FixReport, RepairPlan
from loadproof.report.escape import clean, guard_line
from loadproof.report.style import Line, fold_line, paint
from loadproof.report.words import size_text, verdict_text

SHOWN_DIFF = 12  # lines of a diff shown without -v
_UNCHANGED = ("bold", "nothing was changed")
_DIFF = ("", "      ")  # how a line of a diff begins


def render_fix(
    report: FixReport,
    *,
    given: Sequence[str] = (),
    verbose: bool = False,
    color: bool = False,
    width: int | None = None,
    **_: object,
) -> str:
    """The plan, and what came of it when it was carried out; each line ended by a newline, folded to `width` columns.

    `given`: the options that this plan was made with; the commands to type next need them as well.
    """
    lines: list[Line] = [line for choice in report.choices for line in _choice_lines(choice)]
    if not report.choices:
        lines.append(_nothing(report.before))
    lines += _left_lines(report)
    lines += [line for change in report.plan.changes for line in _change_lines(change, verbose)]
    lines += _refusals(report.plan)
    if report.restored:
        lines += [(), (("error", "taken back"), ("", f": {clean(report.restored)}"))]
    else:
        lines += _next_lines(report, given) if report.applied is None else _done_lines(report)
    folded = [piece for line in lines for piece in _folded(line, width)]
    return "".join(guard_line(paint(line, color)) + "\n" for line in folded)


def _folded(line: Line, width: int | None) -> list[Line]:
    """A line of a diff stays whole: it is what stands in the file."""
    return [line] if line and line[0] == _DIFF else fold_line(line, width, 5)


def _nothing(before: Report) -> Line:
    """No finding has a repair: good news only where the checkpoint loads."""
    if before.verdict == "loads":
        return (("good", "nothing to fix"),)
    return (("warning", "no repair is known"), ("", f"; {before.verdict}: {clean(verdict_text(before))}"))


def _left_lines(report: FixReport) -> Iterable[Line]:
    """Infos that have an edit, and how to ask for it."""
    if not report.left:
        return
    yield (("", "left as they are, since they do no harm:"),)
    for finding in report.left:
        yield (("", f"  {finding.code} {finding.slug}: {clean(finding.headline)}"),)
    codes = " ".join(dict.fromkeys(finding.code for finding in report.left))
    yield (("mark", "   = "), ("", "to fix these too: "), ("command", clean(f"{_command(report)} {codes}")))


def _command(report: FixReport) -> str:
    return f"loadproof fix {shlex.quote(report.before.case.inventory.location)}"


def _choice_lines(choice: Choice) -> list[Line]:
    head: Line = (
        ("bold", choice.finding.code),
        ("bold", f" {choice.finding.slug}"),
        ("", f": {clean(choice.finding.headline)}"),
    )
    if choice.fix is None:
        return [head, (("mark", "   = "), ("warning", "not fixed: "), ("", clean(choice.why)))]
    tone = "good" if choice.fix.safety == "lossless" else "warning"
    loss = f" (loses {choice.fix.loss})" if choice.fix.loss else ""
    return [head, (("mark", "   = "), (tone, f"{choice.fix.safety}: "), ("", clean(choice.fix.title + loss)))]


def _change_lines(change: Change, verbose: bool) -> list[Line]:
    note = f", {change.note}" if change.note else ""
    head: Line = (
        ("mark", "  --> "),
        ("bold", f"{change.action}  "),
        ("place", clean(change.file)),
        ("dim", clean(f"  ({size_text(change.writes)} written{note})")),
    )
    shown = change.diff if verbose else change.diff[:SHOWN_DIFF]
    lines: list[Line] = [head, *((_DIFF, (_tone(line), clean(line))) for line in shown)]
    if hidden := len(change.diff) - len(shown):
        lines.append((("dim", f"      ... and {hidden} more lines (-v shows all)"),))
    return lines


def _tone(line: str) -> str:
    return {"+": "good", "-": "error", "@": "dim"}.get(line[:1], "")


def _refusals(plan: RepairPlan) -> Iterable[Line]:
    for refusal in plan.refusals:
        yield (("error", "refused"), ("", f": {clean(refusal.reason)}"))
        if refusal.alternative:
            yield (("mark", "   = "), ("", f"instead: {clean(refusal.alternative)}"))


def _next_lines(report: FixReport, given: Sequence[str]) -> list[Line]:
    """What to type next: only what works as things are."""
    if not report.plan.changes or report.plan.refusals:
        return []
    codes = " ".join(dict.fromkeys(choice.finding.code for choice in report.choices if choice.fix))
    options = "".join(f" {shlex.quote(option)}" for option in given)
    command = f"  {_command(report)} {codes}{options}"
    copy: Line = (("command", clean(f"{command} --out NEW_FOLDER")),)
    if not report.blocked:
        ways = "; to carry it out, in place (undo stays possible) or as a copy:"
        return [(), (_UNCHANGED, ("", ways)), (("command", clean(f"{command} --apply")),), copy]
    first, *others = report.blocked
    more = f" (and {len(others)} more)" if others else ""
    lines: list[Line] = [(), (_UNCHANGED, ("", f"; in place it would be refused: {clean(first.reason)}{more}"))]
    if first.alternative not in ("", REPAIRED_COPY):  # the command below says that way itself
        lines.append((("mark", "   = "), ("", f"instead: {clean(first.alternative)}")))
    return [*lines, copy]


def _done_lines(report: FixReport) -> list[Line]:
    applied = report.applied
    assert applied is not None
    files = f"{len(applied.files)} file{'s' if len(applied.files) != 1 else ''} changed"
    lines: list[Line] = [(), (("good", "done"), ("", f": {files}, {size_text(applied.bytes_written)} written"))]
    lines += [(("mark", "   = "), ("", clean(note))) for note in applied.notes]
    if applied.undo:
        path = shlex.quote(report.before.case.inventory.location)
        lines.append((("mark", "   = "), ("", "to take it back: "), ("command", clean(f"loadproof undo {path}"))))
    return lines + ([_after(report.before, report.after)] if report.after else [])


def _after(before: Report, after: Report) -> Line:
    tone = "good" if after.verdict == "loads" else "error"
    text = f": {clean(verdict_text(after))} (it was: {before.verdict})"
    return (("bold", "verdict  "), (tone, after.verdict), ("", text))
