"""A repair, one finding a line."""

from __future__ import annotations

from loadproof.core.repairs import Choice, FixReport
from loadproof.report.escape import clean, guard_line


def render_choices(report: FixReport, **_: object) -> str:
    """``checkpoint: planned[LP301] layer-plan-mismatch: set ...``; what is refused or taken back has a line as well."""
    done = "taken back" if report.restored else "planned" if report.applied is None else "done"
    lines = [_line(choice, done) for choice in report.choices]
    lines += [f"refused: {refusal.reason}" for refusal in report.plan.refusals]
    lines += [f"refused in place: {refusal.reason}" for refusal in report.blocked]
    lines += [f"left[{finding.code}] {finding.slug}: {finding.headline}" for finding in report.left]
    lines += [f"taken back: {report.restored}"] if report.restored else []
    location = clean(report.before.case.inventory.location)
    return "".join(guard_line(f"{location}: {clean(line)}") + "\n" for line in lines)


def _line(choice: Choice, done: str) -> str:
    name = f"[{choice.finding.code}] {choice.finding.slug}"
    return f"not fixed{name}: {choice.why}" if choice.fix is None else f"{done}{name}: {choice.fix.title}"
