"""The JSON object that stands for a report where there is none: a usage error, no checkpoint, a refused repair."""

from __future__ import annotations

from typing import Any

from loadproof.report.as_json import head, rendered, text


def error_data(status: int, message: str, location: str = "") -> dict[str, Any]:
    """`status` is the exit status, `location` the target that it is about, where there is one."""
    return {**head(), "error": {"status": status, "message": text(message), "location": text(location) or None}}


def render_error(status: int, message: str, location: str = "") -> str:
    """The object as a document of its own."""
    return rendered(error_data(status, message, location))
