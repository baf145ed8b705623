"""The text report of any kind of result as a block of code in Markdown, for a comment on a pull request."""

from __future__ import annotations

from loadproof.core.shown import Shown
from loadproof.report.quoting import fence
from loadproof.report.registry import renderer


def render_fenced(result: Shown, **look: object) -> str:
    """What the command prints without colours, between fences that nothing in it can end."""
    text = renderer(result.kind, "text")(result, **look | {"color": False, "width": None})
    mark = fence(text)
    return f"{mark}text\n{text}{mark}\n"
