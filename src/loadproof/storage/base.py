"""What the stages that read bytes ask of a file, wherever it lies."""

from __future__ import annotations

from typing import Protocol


class Ranged(Protocol):
    """An open file that is read in ranges; offsets and lengths are in bytes."""

    size: int

    def read(self, begin: int, length: int) -> bytes:
        """The bytes at `begin`, fewer than `length` only where the file ends. Raises `UnreadableError`."""
        ...
