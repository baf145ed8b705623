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
from loadproof.repair.steps import PREFIX, Cut, Move, Patch, Rewrite, Step, Swap, beside, inverse, names_in

HEADER_START = 8  # a safetensors file starts with the u64 length of its header
SECTOR = 512
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
    patches = [step for step in pending if isinstance(step, Patch)]
    others = [step for step in pending if not isinstance(step, Patch)]
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


def _close_header(disk: Disk, patch: Patch) -> None:
    disk.write(patch.file, HEADER_START, b"\0")
    disk.fsync(patch.file)


def _write_body(disk: Disk, patch: Patch) -> None:
    disk.write(patch.file, HEADER_START + 1, patch.new[1:])
    disk.fsync(patch.file)
    if disk.read(patch.file, HEADER_START + 1, len(patch.new) - 1) != patch.new[1:]:
        raise OSError(f"{patch.file}: what was written does not read back")


def _open_header(disk: Disk, patch: Patch) -> None:
    disk.write(patch.file, HEADER_START, patch.new[:1])
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
            return None if _is_between(disk.read(file, HEADER_START, len(old)), old, new) else f"{file}: other header"
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


def _is_between(current: bytes, old: bytes, new: bytes) -> bool:
    """True if every sector is old or new, the first byte aside, which may be the closing NUL."""
    if len(current) != len(old):
        return False
    starts = (current[:1] + side[1:] if current[:1] in (b"\0", *(old[:1], new[:1])) else side for side in (old, new))
    one, other = starts
    shift = SECTOR - HEADER_START  # sectors are counted from the start of the file
    cuts = [0, *range(shift, len(current), SECTOR), len(current)]
    return all(current[a:b] in (one[a:b], other[a:b]) for a, b in pairwise(cuts))
