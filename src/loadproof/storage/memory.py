"""A file that lies in memory: for tests of what reads bytes, and for bytes that are at hand."""

from __future__ import annotations


class MemoryFile:
    """Bytes as a `Ranged`."""

    __slots__ = ("_content", "size")

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.size = len(content)

    def read(self, begin: int, length: int) -> bytes:
        """The bytes at `begin`, fewer than `length` only where they end."""
        return self._content[begin : begin + length]
