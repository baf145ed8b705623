"""What a case may ask of its reader, without the rules or the reports knowing any reader.

A reader enters itself here under its name; a case keeps the name alone, and so stays plain data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from loadproof.core.checkpoint import Problem


class AskedReader(Protocol):
    """The part of a reader that a case hands on."""

    def react(self, problem: Problem) -> str | None:
        """The exception that the library raises when it opens the file of this problem; None where it takes the file."""
        ...


_MAKERS: dict[str, Callable[[], AskedReader]] = {}


def enter(name: str, make: Callable[[], AskedReader]) -> None:
    """Let cases that name this reader ask it."""
    _MAKERS[name] = make


def asked(name: str) -> AskedReader | None:
    """The reader of that name, None where a case has none (an error text alone, a live model)."""
    make = _MAKERS.get(name)
    return None if make is None else make()
