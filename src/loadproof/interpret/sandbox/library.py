"""What a child is told of the files on disk: by name, no thing twice, and no more than a bound."""

from __future__ import annotations

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.release.disk import Disk
from loadproof.interpret.sandbox.limits import REQUESTS, SOURCE_BYTES
from loadproof.interpret.sandbox.line import Refused
from loadproof.interpret.sandbox.messages import ABSENT, FOUND, LIST, READ, TOO_LONG, listing


class Library:
    """One child's view of the files."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._asked: set[tuple[bytes, str]] = set()
        self._left = SOURCE_BYTES

    def reply(self, kind: bytes, name: str) -> tuple[bytes, bytes]:
        """(status, content) for a request. Raises Refused where the child asks for more than it may have."""
        if kind not in (LIST, READ):
            raise Refused("what is no request")
        if (kind, name) in self._asked or len(self._asked) == REQUESTS:
            raise Refused(f"one thing twice, or more than {REQUESTS:,} files")
        self._asked.add((kind, name))
        status, content = self._looked_up(kind, name)
        self._left -= len(content)
        if self._left < 0:
            raise Refused(f"more than {SOURCE_BYTES:,} bytes of source")
        return status, content

    def _looked_up(self, kind: bytes, name: str) -> tuple[bytes, bytes]:
        if kind == LIST:
            return FOUND, listing(self._disk.list(name))
        try:
            content = self._disk.read(name)
        except LimitReached:
            return TOO_LONG, b""
        return (ABSENT, b"") if content is None else (FOUND, content)
