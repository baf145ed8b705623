"""What differs between two checkpoints, one difference a line."""

from __future__ import annotations

from loadproof.core.results import DiffReport
from loadproof.report.diff_text import differences
from loadproof.report.escape import clean, guard_line


def render_differences(report: DiffReport, **_: object) -> str:
    """``config: num_hidden_layers: 4 -> 8``, ``only A: lm_head.weight``; nothing where nothing differs."""
    lines = [f"{label}: {text}" for label, texts in differences(report) for text in texts]
    return "".join(guard_line(clean(line)) + "\n" for line in lines)
