"""All or nothing on disk: drive a folder through steps so that a crash at any moment leaves the old or the new state.

1. journal: temp, fsync, rename, fsync folder.
2. close the door: NUL over the first byte of every header that will be patched, fsync. No reader parses such a file. A
   plan without patches, but with several steps, closes one JSON file instead (its text is replaced by `CLOSED`).
3. change everything else; every change is durable before the next one starts.
4. open the door: the last step is one byte per header (or one rename), fsync.
5. the journal becomes the undo record: one rename, fsync folder.

What a record left behind (prepared files, old files kept for an undo) is removed by its own names alone, and the record
goes last (`retire`). Other hidden files are nobody's business, and other folders have records of their own.

Every function here starts from whatever state a crash has left, so rolling back is driving the inverse steps.
A failed fsync is never tried again: the error goes up, the journal stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from loadproof.repair.contained import is_helper
from loadproof.repair.disk import Disk
from loadproof.repair.drive import drive, drop
from loadproof.repair.journal import (
    JOURNAL,
    SWEEP,
    ForeignRecordError,
    Record,
    read_record,
    undo_name,
    undo_numbers,
    write_record,
)
from loadproof.repair.states import all_done, check_start, check_states, make_durable
from loadproof.repair.steps import beside, inverse, names_in

Recovery = Literal["nothing", "finished", "rolled back", "undone", "undo rolled back"]


def commit(disk: Disk, record: Record) -> None:
    """Carry out a record. Raises OSError with the journal still there: `recover` then decides."""
    check_start(disk, record.steps)
    write_record(disk, JOURNAL, record)
    drive(disk, record.steps)
    _finish(disk, record)


def recover(disk: Disk) -> Recovery:
    """Bring an interrupted change to an end, forward if it was complete, else back. Idempotent.

    Raises ForeignRecordError, ForeignStateError before anything was touched.
    """
    result: Recovery = "nothing"
    if disk.is_file(JOURNAL):
        record = read_record(disk, JOURNAL)
        if _is_complete(disk, record):
            make_durable(disk, record.steps)
            _finish(disk, record)
            result = "undone" if record.undoes else "finished"
        else:
            drive(disk, inverse(record.steps))
            retire(disk, JOURNAL, record)
            result = "undo rolled back" if record.undoes else "rolled back"
    _end_retirement(disk)
    return result


def _is_complete(disk: Disk, record: Record) -> bool:
    """Raises ForeignStateError."""
    if record.undoes and not disk.exists(undo_name(record.undoes)):
        return True  # an undo whose record has gone was complete
    check_states(disk, record.steps)
    return all_done(disk, record.steps)


def _finish(disk: Disk, record: Record) -> None:
    if record.undoes is None:
        _rename(disk, JOURNAL, undo_name(record.number))
        return
    if disk.exists(undo_name(record.undoes)):
        drop(disk, undo_name(record.undoes))
    retire(disk, JOURNAL, record)


# ---------------------------------------------------------------- what a record leaves behind
def retire(disk: Disk, name: str, record: Record) -> list[str]:
    """Remove the helper files of a record that is over, then the record itself; returns the names of the files."""
    litter = _litter(disk, record)
    if not litter:
        drop(disk, name)
        return []
    _rename(disk, name, SWEEP)
    remove(disk, litter)
    drop(disk, SWEEP)
    return litter


def _rename(disk: Disk, old: str, new: str) -> None:
    if not disk.is_file(new):
        disk.clear(new)
    disk.rename(old, new)
    disk.fsync_folder(new)


def _end_retirement(disk: Disk) -> None:
    if disk.is_file(SWEEP):
        try:
            record = read_record(disk, SWEEP)
        except ForeignRecordError:
            return  # not ours: it may lie there
        remove(disk, _litter(disk, record))
        drop(disk, SWEEP)


def _litter(disk: Disk, record: Record) -> list[str]:
    needed = _needed(disk)
    return [name for name in given_out(record) if name not in needed and disk.is_file(name)]


def given_out(record: Record) -> list[str]:
    """Every name of a helper file that carrying out this record may have used."""
    names = [name for step in record.steps for name in names_in(step)]
    helpers = {name for name in names if is_helper(name)}
    return sorted(helpers | {beside(name, "tmp") for name in names if not is_helper(name)})


def _needed(disk: Disk) -> set[str]:
    """The helper files that undo records still need."""
    records = [read_record(disk, undo_name(number)) for number in undo_numbers(disk)]
    return {name for record in records for step in record.steps for name in names_in(step)}


def remove(disk: Disk, names: Iterable[str]) -> None:
    """Remove helper files, durably."""
    folders = set()
    for name in names:
        disk.unlink(name)
        folders.add(name.rpartition("/")[0])
    for folder in sorted(folders):
        disk.fsync_folder(f"{folder}/x" if folder else "x")
