"""Where bytes lie: what the stages that read a checkpoint ask of a place, and of a file in it.

A place is a class with the members of `Storage` in a file of this folder, and its line in the table of `schemes.py`.
"""

from __future__ import annotations

from typing import Literal, Protocol, Self

from msgspec import Struct


class UnreadableError(OSError):
    """A file that cannot or must not be read.

    `kind` is a short word: ``absent``, ``dangling-link``, ``link-loop``, ``link-outside``, ``not-a-folder``,
    ``folder``, ``fifo``, ``device``, ``socket``, ``permission``, ``unsafe-path`` or ``io-error``; `reason` is one line for people.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Ranged(Protocol):
    """An open file that is read in ranges; offsets and lengths are in bytes."""

    size: int

    def read(self, begin: int, length: int) -> bytes:
        """The bytes at `begin`, fewer than `length` only where the file ends. Raises `UnreadableError`."""
        ...


class StoredFile(Ranged, Protocol):
    """An open file of a storage; a context manager."""

    outside: str | None  # where it really lies, when a link led out of the checkpoint

    def changed(self) -> bool:
        """Whether somebody changed it since it was opened."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Entry(Struct, frozen=True):
    """What a name stands for, before it is opened. Opening it says more: a file may be there and be refused."""

    name: str
    kind: Literal["file", "folder", "special"] = "file"  # special: a pipe, a device, a link to nothing
    size: int = 0  # bytes
    state: Literal["present", "absent", "refused"] = "present"
    why: UnreadableError | None = None  # of what is not present


class Storage(Protocol):
    """One place that holds the files of one checkpoint.

    A context manager that may be entered again: what is opened inside stays open until the last one leaves.
    """

    @property
    def place(self) -> str:
        """How messages name it: an absolute path, a URL; without a slash at its end."""
        ...

    @property
    def folder(self) -> str | None:
        """The same, for what works on a local disk only (repairs, a library's own loader); None elsewhere."""
        ...

    @property
    def single_file(self) -> str | None:
        """The one file that the user named."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def list(self) -> tuple[tuple[Entry, ...], bool]:
        """What lies at the top level, sorted by name, and whether that is all of it."""
        ...

    def below(self, name: str) -> tuple[Entry, ...]:
        """What lies in a folder of this place, one level of it, by bare names; nothing where there is no such folder."""
        ...

    def look(self, name: str) -> Entry:
        """The state of any name, listed or not."""
        ...

    def open(self, name: str) -> StoredFile:
        """A file by its name, a relative path. Raises `UnreadableError`, which says why it is not or must not be read."""
        ...

    def resolve(self, path: str) -> str | None:
        """The plain name of what a path with ``..`` or from ``/`` leads to; None where that is not in this place."""
        ...


def place_of(storage: Storage, name: str) -> str:
    """A name as a library on that place would write it."""
    return f"{storage.place.rstrip('/')}/{name}"
