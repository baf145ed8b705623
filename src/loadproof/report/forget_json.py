"""What was removed when repairs were made final, as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from loadproof.core.repairs import Forgotten
from loadproof.report.as_json import head, rendered, text


def render_forgotten_json(done: Forgotten, **_: object) -> str:
    """The names of the undo records and the old files that were kept for them."""
    return rendered({**head(), "kind": done.kind, "removed": [text(name) for name in done.names]})
