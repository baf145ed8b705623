"""What was removed when repairs were made final."""

from __future__ import annotations

from loadproof.core.repairs import Forgotten
from loadproof.report.escape import clean, guard_line


def render_forgotten(done: Forgotten, **_: object) -> str:
    """One name a line."""
    lines = [f"removed:    {clean(name)}" for name in done.names] or ["nothing was kept for an undo here"]
    return "".join(guard_line(line) + "\n" for line in lines)
