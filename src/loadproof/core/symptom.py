"""What a pasted error says."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from loadproof.core.tensors import Shape


class Mismatch(Struct, frozen=True):
    """A size difference that an error text reports: what the checkpoint holds, what the model wants."""

    name: str
    stored: Shape
    wanted: Shape


class Symptom(Struct, frozen=True):
    """What a pasted error says (`tracebacks`)."""

    engine: str | None = None
    engine_version: str | None = None
    phase: str | None = None  # config | build | load | cache-init | generate | convert | save
    exception: str | None = None
    message: str = ""
    names: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    run: dict[str, Any] = {}
    frames: tuple[str, ...] = ()  # "path/file.py:12 function", outermost first
    lines: tuple[str, ...] = ()  # statements that mean something, the root exception first
    missing: tuple[str, ...] = ()  # rows of load reports, as the text spells them
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()
    elsewhere: str = ""  # what the error is about where no checkpoint causes it, and what to do
