"""All or nothing on disk: drive a folder through steps so that a crash at any moment leaves the old or the new state.

1. journal: temp, fsync, rename, fsync folder.
2. close the door: NUL over the first byte of every header that will be patched, fsync. No reader parses such a file. A
   plan without patches, but with several steps, closes one JSON file instead (its text is replaced by `CLOSED`).
3. change everything else; every change is durable before the next one starts.
4. open the door: the last step is one byte per header (or one rename), fsync.
5. the journal becomes the undo record: one rename, fsync folder.

Every function here starts from whatever state a crash has left, so rolling back is driving the inverse steps.
A failed fsync is never tried again: the error goes up, the journal stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from loadproof.repair.disk import Disk
from loadproof.repair.journal import JOURNAL, Record, read_record, undo_name, undo_numbers, write_record
from loadproof.repair.steps import PREFIX, Cut, Grow, Move, Patch, Rewrite, Step, Swap, beside, inverse, names_in

HEADER_START = 8  # a safetensors file starts with the u64 length of its header
SECTOR = 512
PROBE = 1 << 16  # bytes
CLOSED = b"loadproof is repairing this checkpoint. If that was interrupted, run: loadproof undo FOLDER\n"

Recovery = Literal["nothing", "torn journal", "finished", "rolled back", "undone", "undo rolled back"]


class ForeignStateError(RuntimeError):
    """A file is in a state that no step of the record can have left; nothing was touched."""


def commit(disk: Disk, record: Record) -> None:
    """Carry out a record. Raises OSError with the journal still there: `recover` then decides."""
    _check_states(disk, record.steps)
    write_record(disk, JOURNAL, record)
    drive(disk, record.steps)
    _finish(disk, record)


def recover(disk: Disk) -> Recovery:
    """Bring an interrupted change to an end, forward if it was complete, else back. Idempotent."""
    result: Recovery = "nothing"
    if disk.exists(JOURNAL):
        record = read_record(disk, JOURNAL)
        if record is None:  # the target is not touched before the journal is durable
            disk.unlink(JOURNAL)
            disk.fsync_folder(JOURNAL)
            result = "torn journal"
        elif (record.undoes and not disk.exists(undo_name(record.undoes))) or _all_done(disk, record.steps):
            _make_durable(disk, record.steps)
            _finish(disk, record)
            result = "undone" if record.undoes else "finished"
        else:
            _check_states(disk, record.steps)
            drive(disk, inverse(record.steps))
            _drop(disk, JOURNAL)
            sweep(disk, folders_of(record.steps))
            result = "undo rolled back" if record.undoes else "rolled back"
    return result


def _finish(disk: Disk, record: Record) -> None:
    if record.undoes is None:
        disk.rename(JOURNAL, undo_name(record.number))
        disk.fsync_folder(JOURNAL)
        return
    if disk.exists(undo_name(record.undoes)):
        _drop(disk, undo_name(record.undoes))
    _drop(disk, JOURNAL)
    sweep(disk, folders_of(record.steps))


def sweep(disk: Disk, folders: Iterable[str] = ("",)) -> list[str]:
    """Remove the helper files in these folders that no record needs; returns their names."""
    needed = {JOURNAL}
    for number in undo_numbers(disk):
        record = read_record(disk, undo_name(number))
        needed.add(undo_name(number))
        needed.update(name for step in (record.steps if record else ()) for name in names_in(step))
    gone: list[str] = []
    for folder in folders:
        prefix = folder and folder + "/"
        litter = [name for name in disk.names(folder) if name.startswith(PREFIX) and prefix + name not in needed]
        for name in litter:
            disk.unlink(prefix + name)
        if litter:
            disk.fsync_folder(prefix + litter[0])
        gone += [prefix + name for name in litter]
    return gone


def folders_of(steps: Iterable[Step]) -> list[str]:
    """The folders whose files the steps touch, the checkpoint's own first."""
    return sorted({""} | {name.rpartition("/")[0] for step in steps for name in names_in(step)})


# ---------------------------------------------------------------- driving
def drive(disk: Disk, steps: Sequence[Step]) -> None:
    """Bring every step to its new side, durably. Steps that are there already are left alone."""
    pending = [step for step in steps if not _is_done(disk, step)]
    patches = [step for step in pending if isinstance(step, Patch | Grow)]
    others = [step for step in pending if not isinstance(step, Patch | Grow)]
    door = _door(steps, others) if not patches else None
    for patch in patches:
        _close_header(disk, patch)
    if door is not None:
        _put(disk, door.file, CLOSED)
    for patch in patches:
        _write_body(disk, patch)
    for step in others:
        if step is not door:
            _change(disk, step)
    if door is not None:
        _change(disk, door)
    for patch in patches:
        _open_header(disk, patch)


def _door(steps: Sequence[Step], pending: Sequence[Step]) -> Rewrite | None:
    # One file whose replacement by an unreadable text keeps readers out while several files change.
    candidates = [s for s in steps if isinstance(s, Rewrite) and s.old is not None and s.new is not None]
    if not candidates or pending in ([], [candidates[-1]]):
        return None
    return candidates[-1]


def _close_header(disk: Disk, patch: Patch | Grow) -> None:
    disk.write(patch.file, HEADER_START, b"\0")
    disk.fsync(patch.file)


def _write_body(disk: Disk, patch: Patch | Grow) -> None:
    if isinstance(patch, Grow):
        _write_head(disk, patch)
        return
    disk.write(patch.file, HEADER_START + 1, patch.new[1:])
    disk.fsync(patch.file)
    if disk.read(patch.file, HEADER_START + 1, len(patch.new) - 1) != patch.new[1:]:
        raise OSError(f"{patch.file}: what was written does not read back")


def _write_head(disk: Disk, step: Grow) -> None:
    if disk.size(step.file) == step.size:
        data = _ends(disk, step.file, len(step.old))
        disk.shift(step.file, step.room)
        disk.fsync(step.file)
        if _ends(disk, step.file, len(step.new)) != data:
            raise OSError(f"{step.file}: the tensors are not where they should be")
    closed = step.new[:HEADER_START] + b"\0" + step.new[HEADER_START + 1 :]
    disk.write(step.file, 0, closed)
    disk.fsync(step.file)
    if disk.read(step.file, 0, len(closed)) != closed:
        raise OSError(f"{step.file}: what was written does not read back")


def _ends(disk: Disk, file: str, begin: int) -> tuple[bytes, bytes]:
    """The first and last bytes of the data, which begins at `begin`."""
    return disk.read(file, begin, PROBE), disk.read(file, max(begin, disk.size(file) - PROBE), PROBE)


def _open_header(disk: Disk, patch: Patch | Grow) -> None:
    first = HEADER_START if isinstance(patch, Grow) else 0
    disk.write(patch.file, HEADER_START, patch.new[first : first + 1])
    disk.fsync(patch.file)


def _change(disk: Disk, step: Step) -> None:
    match step:
        case Rewrite(file, _, None):
            _drop(disk, file)
        case Rewrite(file, _, bytes(new)):
            _put(disk, file, new)
        case Cut(file, size, _, False):
            disk.truncate(file, size)
            disk.fsync(file)
        case Cut(file, size, tail, True):
            disk.write(file, size, tail)
            disk.fsync(file)
        case Move(source, target):
            disk.rename(source, target)
            disk.fsync_folder(target)
        case Swap():
            _swap(disk, step)


def _put(disk: Disk, file: str, content: bytes) -> None:
    temporary = beside(file, "tmp")
    if disk.exists(temporary):
        disk.unlink(temporary)
    disk.create(temporary, like=file)
    disk.write(temporary, 0, content)
    disk.fsync(temporary)
    disk.rename(temporary, file)
    disk.fsync_folder(file)


def _drop(disk: Disk, file: str) -> None:
    disk.unlink(file)
    disk.fsync_folder(file)


def _swap(disk: Disk, step: Swap) -> None:
    if disk.same(step.fresh, step.file):  # POSIX: renaming one name of a file over another one does nothing
        _drop(disk, step.fresh)
        return
    if not disk.exists(step.kept):
        disk.link(step.file, step.kept)
        disk.fsync_folder(step.file)
    disk.rename(step.fresh, step.file)
    disk.fsync_folder(step.file)


# ---------------------------------------------------------------- where things stand
def _all_done(disk: Disk, steps: Iterable[Step]) -> bool:
    return all(_is_done(disk, step) for step in steps)


def _is_done(disk: Disk, step: Step) -> bool:
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


def _make_durable(disk: Disk, steps: Iterable[Step]) -> None:
    # What reads as new after a crash of the process may still be in the page cache only.
    for step in steps:
        for name in names_in(step):
            if disk.exists(name):
                disk.fsync(name)
        disk.fsync_folder(names_in(step)[0])


def _check_states(disk: Disk, steps: Iterable[Step]) -> None:
    for step in steps:
        complaint = _foreign(disk, step)
        if complaint:
            raise ForeignStateError(complaint)


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
    """True if every sector is that of one of the images. Bytes at `free` are the ones that close a header: they may
    be anything."""
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
