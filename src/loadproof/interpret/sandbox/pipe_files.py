"""The child's `Files`: everything is asked of the parent, once."""

from __future__ import annotations

import os

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.language.limits import SOURCE_BYTES
from loadproof.interpret.release.files import Kind
from loadproof.interpret.sandbox.messages import (
    ABSENT,
    ANSWER,
    FOUND,
    LENGTH,
    LIST,
    READ,
    REPLY,
    REQUEST,
    entries_of,
)
from loadproof.interpret.sandbox.system_calls import INPUT, OUTPUT

_LONGEST_NAME = 4_096


class PipeFiles:
    """The source files that the parent gives, over standard input and output."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, Kind]] = {}
        self._contents: dict[str, bytes | None] = {}

    def list(self, folder: str) -> dict[str, Kind]:
        if folder not in self._folders:
            self._folders[folder] = entries_of(ask(LIST, folder)[1])
        return self._folders[folder]

    def read(self, file: str) -> bytes | None:
        if file not in self._contents:
            status, content = ask(READ, file)
            if status not in (FOUND, ABSENT):
                raise LimitReached(f"{file.rpartition('/')[2]} has more than {SOURCE_BYTES:,} bytes")
            self._contents[file] = content if status == FOUND else None
        return self._contents[file]


def ask(kind: bytes, text: str) -> tuple[bytes, bytes]:
    """(status, content) of the parent's answer. Raises LimitReached for a name that no file can have."""
    name = text.encode("utf-8", "surrogatepass")
    if len(name) > _LONGEST_NAME:
        raise LimitReached("a file name is too long")
    _write(REQUEST.pack(kind, len(name)) + name)
    status, size = REPLY.unpack(_read(REPLY.size))
    return status, _read(size)


def answer(content: bytes) -> None:
    """The last thing the child says."""
    _write(REQUEST.pack(ANSWER, 0) + LENGTH.pack(len(content)) + content)


def _write(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(OUTPUT, left) :]


def _read(size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        data = os.read(INPUT, size)
        if not data:
            os._exit(1)  # the parent is gone
        parts.append(data)
        size -= len(data)
    return b"".join(parts)
