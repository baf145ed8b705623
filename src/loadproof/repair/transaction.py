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

from collections.abc import Iterable
from typing import Literal

from loadproof.repair.disk import Disk
from loadproof.repair.drive import drive, drop
from loadproof.repair.journal import JOURNAL, Record, read_record, undo_name, undo_numbers, write_record
from loadproof.repair.states import all_done, check_states, make_durable
from loadproof.repair.steps import PREFIX, Step, inverse, names_in

Recovery = Literal["nothing", "torn journal", "finished", "rolled back", "undone", "undo rolled back"]


def commit(disk: Disk, record: Record) -> None:
    """Carry out a record. Raises OSError with the journal still there: `recover` then decides."""
    check_states(disk, record.steps)
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
        elif _is_complete(disk, record):
            make_durable(disk, record.steps)
            _finish(disk, record)
            result = "undone" if record.undoes else "finished"
        else:
            drive(disk, inverse(record.steps))
            drop(disk, JOURNAL)
            sweep(disk, folders_of(record.steps))
            result = "undo rolled back" if record.undoes else "rolled back"
    return result


def _is_complete(disk: Disk, record: Record) -> bool:
    """Raises ForeignStateError."""
    if record.undoes and not disk.exists(undo_name(record.undoes)):
        return True  # an undo whose record has gone was complete
    check_states(disk, record.steps)
    return all_done(disk, record.steps)


def _finish(disk: Disk, record: Record) -> None:
    if record.undoes is None:
        disk.rename(JOURNAL, undo_name(record.number))
        disk.fsync_folder(JOURNAL)
        return
    if disk.exists(undo_name(record.undoes)):
        drop(disk, undo_name(record.undoes))
    drop(disk, JOURNAL)
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
