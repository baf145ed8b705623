"""Reports for people and machines. Output reads a `Report` only; every string from a file goes through `escape`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadproof.report.concise import render_concise
    from loadproof.report.json_v1 import render_json
    from loadproof.report.text import render_text

_HOME = {"render_concise": "concise", "render_json": "json_v1", "render_text": "text"}

__all__ = ["render_concise", "render_json", "render_text"]


def __getattr__(name: str) -> Any:
    """A format is imported when it is used."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
