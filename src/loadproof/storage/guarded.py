"""One open file of a folder: bounded reads, and notice when somebody changes it meanwhile."""

from __future__ import annotations

import os

from loadproof.storage.base import UnreadableError


class GuardedFile:
    """A regular file opened for reading; a context manager. Offsets and lengths are in bytes.

    `outside` is where the file really lies when a link led out of the checkpoint folder. One that is `kept` stays open
    until its folder closes it.
    """

    __slots__ = ("_fd", "_stamp", "kept", "outside", "size")

    def __init__(self, fd: int, status: os.stat_result, outside: str | None = None) -> None:
        self._fd = fd
        self._stamp = _stamp(status)
        self.kept = False
        self.outside = outside
        self.size = status.st_size

    def __enter__(self) -> GuardedFile:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.kept:
            self.close()

    def close(self) -> None:
        os.close(self._fd)

    def read(self, begin: int, length: int) -> bytes:
        """The bytes at `begin`, fewer than `length` only where the file ends. Raises `UnreadableError`."""
        pieces, wanted = [], min(length, max(0, self.size - begin))
        try:
            while wanted > 0 and (piece := os.pread(self._fd, wanted, begin)):
                pieces.append(piece)
                begin += len(piece)
                wanted -= len(piece)
        except OSError as error:
            raise UnreadableError("io-error", f"cannot be read: {error.strerror}") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def is_the_file_of(self, status: os.stat_result) -> bool:
        """Whether `status` was asked of this very file."""
        return self._stamp[:2] == _stamp(status)[:2]

    def changed(self) -> bool:
        """Whether size, time or identity differ from what they were when the file was opened."""
        return _stamp(os.fstat(self._fd)) != self._stamp


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
