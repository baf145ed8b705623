"""Stamps of the data files that an undo exchanges or removes as a whole: nothing that was changed since may get lost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from loadproof.repair.contained import is_helper
from loadproof.repair.disk import Disk
from loadproof.repair.journal import Stamp
from loadproof.repair.states import ForeignStateError
from loadproof.repair.steps import Move, Step, Swap

END = 1 << 20  # bytes of either end that are read: a file of any size costs the same


def stamps_of(disk: Disk, steps: Sequence[Step]) -> tuple[Stamp, ...]:
    """Once everything is prepared: the files by the names that they will have afterwards."""
    return tuple(_stamp(disk, now, then) for now, then in _names(steps))


def _names(steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    for step in steps:
        match step:
            case Swap(file, fresh, kept):
                yield file, kept
                yield fresh, file
            case Move(source, target) if is_helper(source):
                yield source, target


def _stamp(disk: Disk, now: str, then: str) -> Stamp:
    size = disk.size(now)
    digest = hashlib.sha256(disk.read(now, 0, END))
    digest.update(disk.read(now, max(0, size - END), END))
    return Stamp(then, size, digest.digest())


def check_stamps(disk: Disk, stamps: Sequence[Stamp]) -> None:
    """Raises ForeignStateError for a file that is no longer what the repair left."""
    for stamp in stamps:
        if not disk.is_file(stamp.name):
            raise ForeignStateError(f"{stamp.name}: not there, or not a regular file")
        if _stamp(disk, stamp.name, stamp.name) != stamp:
            raise ForeignStateError(f"{stamp.name}: changed since")
