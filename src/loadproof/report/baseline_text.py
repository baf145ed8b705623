"""What was accepted, one finding a line."""

from __future__ import annotations

from loadproof.core.policy import BaselineEntry, BaselineFile
from loadproof.report.escape import clean, guard_line
from loadproof.report.words import plural


def render_baseline(baseline: BaselineFile, **_: object) -> str:
    """The findings that the file accepts, and those that are gone from it."""
    lines = [
        *(f"accepted  {_shown(entry)}" for entry in baseline.entries),
        *(f"gone      {_shown(entry)}" for entry in baseline.gone),
        f"{baseline.file} accepts {plural(len(baseline.entries), 'finding')}",
    ]
    return "".join(guard_line(clean(line)) + "\n" for line in lines)


def _shown(entry: BaselineEntry) -> str:
    return f"{entry.target}: {entry.code} {entry.slug}: {entry.headline}"
