"""What an undo took back, as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from typing import Any

from loadproof.core.repairs import Applied
from loadproof.report.as_json import head, rendered, text


def render_undo_json(done: Applied, **_: object) -> str:
    """The folder, the files that are again as they were, and what was taken back."""
    return rendered({**head(), "kind": done.kind, **applied_data(done)})


def applied_data(applied: Applied) -> dict[str, Any]:
    """What was done to which files."""
    return {
        "root": text(applied.root),
        "files": [text(name) for name in applied.files],
        "bytes_written": applied.bytes_written,
        "undo": None if applied.undo is None else text(applied.undo),
        "notes": [text(note) for note in applied.notes],
    }
