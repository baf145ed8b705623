"""What an undo took back."""

from __future__ import annotations

from loadproof.core.repairs import Applied
from loadproof.report.escape import clean, guard_line


def render_undo(done: Applied, **_: object) -> str:
    """What was taken back, and the files that are again as they were."""
    lines = [
        f"taken back: {clean('; '.join(done.notes) or 'the last repair')}",
        f"restored:   {clean(', '.join(done.files) or 'nothing')}",
    ]
    return "".join(guard_line(line) + "\n" for line in lines)
