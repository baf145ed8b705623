"""Carrying out a plan in place, undoing it, recovering from an interruption."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from msgspec import Struct

from loadproof.repair.disk import Disk, RealDisk
from loadproof.repair.journal import (
    JOURNAL,
    ForeignRecordError,
    Record,
    next_undo,
    read_record,
    undo_name,
    undo_numbers,
)
from loadproof.repair.permission import gates
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.states import ForeignStateError
from loadproof.repair.steps import PREFIX, inverse, names_in
from loadproof.repair.stream import Progress, discard, prepare, sources_of
from loadproof.repair.transaction import Recovery, commit, sweep
from loadproof.repair.transaction import recover as recover_disk

STALE = Refusal("the checkpoint has changed since the plan was made", "plan again")


class RepairError(Exception):
    """Nothing was changed; `refusals` says why."""

    def __init__(self, *refusals: Refusal) -> None:
        super().__init__("; ".join(f"{r.reason} ({r.alternative})" if r.alternative else r.reason for r in refusals))
        self.refusals = refusals


class RepairInterruptedError(RepairError):
    """Something failed half-way. The checkpoint is closed to readers or as before; `recover` brings it to an end."""


class Applied(Struct, frozen=True):
    """What was done. `files` are relative names; `undo` names the record beside the checkpoint."""

    root: str
    files: tuple[str, ...]
    bytes_written: int
    undo: str | None = None
    notes: tuple[str, ...] = ()


def apply(plan: Plan, *, progress: Progress | None = None, readers_stopped: bool = False) -> Applied:
    """Carry out a plan in place: afterwards everything is done, or nothing is.

    Raises RepairError before anything was touched, RepairInterruptedError (call `recover`) after that.
    """
    if plan.refusals:
        raise RepairError(*plan.refusals)
    if not plan.steps:
        return Applied(plan.root, (), 0)
    with _disk(plan.root) as disk:
        refusals = gates(plan, readers_stopped=readers_stopped)
        if refusals:
            raise RepairError(*refusals)
        apply_on(disk, plan, progress)
    return Applied(plan.root, tuple(change.file for change in plan.changes), plan.writes, undo_name(plan.number))


def apply_on(disk: Disk, plan: Plan, progress: Progress | None = None) -> None:
    """`apply` without lock and gates. An interrupted stream of the same plan is gone on with."""
    if recover_disk(disk) != "nothing":
        raise RepairError(Refusal("an interrupted repair had to be brought to an end first", "plan again"))
    if next_undo(disk) != plan.number:
        raise RepairError(Refusal("the folder was repaired since the plan was made", "plan again"))
    if sources_of(plan) != plan.sources:
        raise RepairError(STALE)
    prepare(disk, plan, progress)
    discard(disk)
    try:
        commit(disk, Record(title=_title(plan), number=plan.number, steps=plan.steps))
    except ForeignStateError:
        sweep(disk, disk.folders())
        raise


def undo(root: str) -> Applied:
    """Take back the last repair of a folder, byte for byte; or bring an interrupted one to its end.

    Raises RepairError, RepairInterruptedError.
    """
    with _disk(root) as disk:
        record = undo_on(disk)
    files = dict.fromkeys(name for step in record.steps for name in names_in(step) if not _is_helper(name))
    return Applied(root, tuple(files), 0, notes=(record.title,))


def undo_on(disk: Disk) -> Record:
    """`undo` without the lock; returns the record that was taken back."""
    recovered = recover_on(disk)
    numbers = undo_numbers(disk)
    if recovered in ("rolled back", "undone"):
        return Record(title=f"an interrupted repair was {recovered}", number=0, steps=())
    if not numbers:
        raise RepairError(Refusal("there is no repair to undo here"))
    name = undo_name(numbers[-1])
    record = read_record(disk, name)
    if record is None:
        raise RepairError(Refusal(f"{name} is damaged, nothing was touched", file=name))
    steps = inverse(record.steps)
    commit(disk, Record(title=f"undo: {record.title}", number=record.number, steps=steps, undoes=numbers[-1]))
    return record


def recover(root: str) -> Recovery:
    """Bring an interrupted repair or undo to an end; returns how (`transaction.Recovery`). Idempotent."""
    with _disk(root) as disk:
        return recover_on(disk)


def recover_on(disk: Disk) -> Recovery:
    """`recover` without the lock."""
    result = recover_disk(disk)
    sweep(disk, disk.folders())
    return result


def forget(root: str) -> tuple[str, ...]:
    """Remove undo records and the old files kept for them; returns their names. The repairs become final."""
    with _disk(root) as disk:
        recover_disk(disk)
        gone = []
        for number in reversed(undo_numbers(disk)):
            disk.unlink(undo_name(number))
            disk.fsync_folder(undo_name(number))
            gone.append(undo_name(number))
        return (*gone, *sweep(disk, disk.folders()))


def interrupted(root: str) -> bool:
    """True if a repair of this folder was interrupted and `recover` has something to do."""
    return os.path.lexists(os.path.join(root, JOURNAL))


@contextlib.contextmanager
def locked(root: str) -> Iterator[None]:
    """Keep a second loadproof out of the folder. The lock is on the folder itself: it leaves nothing behind."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RepairError(Refusal(f"{root}: {error.strerror}")) from None
    try:
        _lock(descriptor, root)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, root: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RepairError(Refusal(f"another loadproof is repairing {root}", "wait for it to end")) from None
    except OSError as error:
        reason = f"{root} cannot be locked against a second loadproof: {error.strerror}"
        raise RepairError(Refusal(reason, "make a repaired copy with --out DIR")) from None


@contextlib.contextmanager
def _disk(root: str) -> Iterator[Disk]:
    """The locked folder, with what can go wrong there turned into RepairError."""
    with locked(root):
        disk = RealDisk(root)
        try:
            yield disk
        except (ForeignStateError, ForeignRecordError) as error:
            raise RepairError(Refusal(f"something has changed since: {error}", "nothing was touched")) from None
        except OSError as error:
            way_out = f"`loadproof undo {root}` brings the checkpoint back, whatever state it is in"
            raise RepairInterruptedError(Refusal(f"interrupted: {error}", way_out)) from error
        finally:
            disk.close()


def _is_helper(name: str) -> bool:
    return name.rpartition("/")[2].startswith(PREFIX)


def _title(plan: Plan) -> str:
    return ", ".join(dict.fromkeys(change.action for change in plan.changes))
