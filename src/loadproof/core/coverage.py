"""What was not checked, as a value."""

from __future__ import annotations

from msgspec import Struct


class Skip(Struct, frozen=True):
    """Something that was not checked, and why."""

    what: str
    why: str
