"""Where a step stands: done, or in some state between that a crash of the protocol can have left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from loadproof.repair.disk import Disk
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, inverse, names_in

HEADER_START = 8  # a safetensors file starts with the u64 length of its header
SECTOR = 512
CLOSED = b"loadproof is repairing this checkpoint. If that was interrupted, run: loadproof undo FOLDER\n"


class ForeignStateError(RuntimeError):
    """A file is in a state that no step of the record can have left; nothing was touched."""


def all_done(disk: Disk, steps: Iterable[Step]) -> bool:
    """True if every file is as the steps leave it."""
    return all(is_done(disk, step) for step in steps)


def is_done(disk: Disk, step: Step) -> bool:
    """True if the file is as the step leaves it."""
    match step:
        case Patch(file, _, _, new):
            return disk.read(file, HEADER_START, len(new)) == new
        case Grow(file, size, _, new):
            return disk.size(file) == size + step.room and disk.read(file, 0, len(new)) == new
        case Rewrite(file, _, new_text):
            return content_of(disk, file) == new_text
        case Cut(file, size, tail, restore):
            return disk.read(file, size, len(tail) + 1) == (tail if restore else b"")
        case Move(fresh, _) | Swap(_, fresh, _):
            return not disk.exists(fresh)


def content_of(disk: Disk, file: str) -> bytes | None:
    """The whole of a small file, None when there is none."""
    return disk.read(file, 0, disk.size(file)) if disk.exists(file) else None


def make_durable(disk: Disk, steps: Iterable[Step]) -> None:
    """Flush what reads as new: after the death of a process it may be in the page cache only."""
    for step in steps:
        for name in names_in(step):
            if disk.exists(name):
                disk.fsync(name)
        disk.fsync_folder(names_in(step)[0])


def check_states(disk: Disk, steps: Iterable[Step]) -> None:
    """Raises ForeignStateError."""
    for step in steps:
        complaint = _foreign(disk, step)
        if complaint:
            raise ForeignStateError(complaint)


def check_start(disk: Disk, steps: Sequence[Step]) -> None:
    """Every file is as it was before the steps, to the byte where a step says. Raises ForeignStateError."""
    check_states(disk, steps)
    for step, back in zip(steps, reversed(inverse(steps)), strict=True):
        if not is_done(disk, back):
            raise ForeignStateError(f"{names_in(step)[0]}: not as it was before the change")


def _foreign(disk: Disk, step: Step) -> str | None:
    match step:
        case Patch(file, sizes, old, new):
            if not disk.exists(file) or not min(sizes) <= disk.size(file) <= max(sizes):
                return f"{file}: its size is no longer {sizes[0]:,} bytes"
            current = disk.read(file, 0, HEADER_START + len(old))
            length = current[:HEADER_START]
            return None if _is_mixture(current, (length + old, length + new)) else f"{file}: other header"
        case Grow(file):
            return None if disk.exists(file) and _is_between_heads(disk, step) else f"{file}: other header"
        case Rewrite(file, old_text, new_text):
            known = (old_text, new_text, CLOSED)
            return None if content_of(disk, file) in known else f"{file}: changed since"
        case Cut(file, size, tail, _):
            if not disk.exists(file):
                return f"{file}: not there"
            return None if size <= disk.size(file) <= size + len(tail) else f"{file}: its size has changed"
        case Move(source, target):
            both = disk.exists(source) + disk.exists(target)
            return None if both == 1 else f"{source}, {target}: expected exactly one of them"
        case Swap(file, _, _):
            return None if disk.exists(file) else f"{file}: not there"


def _is_mixture(current: bytes, images: Iterable[bytes], free: Sequence[int] = (HEADER_START,)) -> bool:
    """True if every sector is that of one of the images. At `free` stand bytes that close a header: any will do."""
    images = [_blank(image, free) for image in images]
    current = _blank(current, free)
    cuts = [*range(0, len(current), SECTOR), len(current)]
    if any(len(image) != len(current) for image in images):
        return False
    return all(any(current[a:b] == image[a:b] for image in images) for a, b in pairwise(cuts))


def _blank(content: bytes, places: Iterable[int]) -> bytes:
    for place in places:
        content = content[:place] + b"\0" + content[place + 1 :]
    return content


def _is_between_heads(disk: Disk, step: Grow) -> bool:
    """Heads of two lengths: the shorter one may stand `room` bytes further on, and the longer one begin earlier."""
    short, long = sorted((step.old, step.new), key=len)
    room = len(long) - len(short)
    size, small = disk.size(step.file), min(step.size, step.size + step.room)
    if size == small:
        return _is_mixture(disk.read(step.file, 0, len(short)), (short, long[room:]))
    images = (bytes(room) + short, bytes(room) + long[room:], long)
    places = (HEADER_START, room + HEADER_START)
    return size == small + room and _is_mixture(disk.read(step.file, 0, len(long)), images, places)
