"""Carrying out a plan in place, undoing it, recovering from an interruption."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from msgspec import Struct

from loadproof.repair.disk import RealDisk
from loadproof.repair.gates import gates
from loadproof.repair.journal import JOURNAL, ForeignRecordError, Record, read_record, undo_name, undo_numbers
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.planner import next_number
from loadproof.repair.steps import PREFIX, inverse, names_in
from loadproof.repair.stream import Progress, discard, prepare
from loadproof.repair.transaction import ForeignStateError, commit, folders_of, sweep
from loadproof.repair.transaction import recover as recover_disk


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
    with locked(plan.root):
        disk = RealDisk(plan.root)
        try:
            _tidy(disk, plan)
            _refuse(plan, readers_stopped)
            prepare(disk, plan, progress)
            _run(disk, Record(title=_title(plan), number=plan.number, steps=plan.steps))
            discard(disk)
        finally:
            disk.close()
    return Applied(plan.root, tuple(change.file for change in plan.changes), plan.writes, undo_name(plan.number))


def undo(root: str) -> Applied:
    """Take back the last repair of a folder, byte for byte. Raises RepairError, RepairInterruptedError."""
    with locked(root):
        disk = RealDisk(root)
        try:
            recovered = recover_disk(disk)
            numbers = undo_numbers(disk)
            if not numbers:
                if recovered == "rolled back":
                    return Applied(root, (), 0, notes=("an interrupted repair was rolled back",))
                raise RepairError(Refusal("there is no repair to undo here", "", root))
            number = numbers[-1]
            record = read_record(disk, undo_name(number))
            if record is None:
                raise RepairError(Refusal(f"{undo_name(number)} is damaged", "nothing was touched", undo_name(number)))
            steps = inverse(record.steps)
            _run(disk, Record(title=f"undo: {record.title}", number=number, steps=steps, undoes=number))
            files = tuple(dict.fromkeys(name for step in steps for name in names_in(step) if not _is_helper(name)))
            return Applied(root, files, 0, notes=(record.title,))
        except (ForeignStateError, ForeignRecordError) as error:
            raise RepairError(Refusal(f"changed since the repair, so it cannot be taken back: {error}")) from None
        finally:
            disk.close()


def recover(root: str) -> str:
    """Bring an interrupted repair to an end: "nothing", "torn journal", "finished" or "rolled back". Idempotent."""
    with locked(root):
        disk = RealDisk(root)
        try:
            result = recover_disk(disk)
            _sweep(disk)
            return result
        except (ForeignStateError, ForeignRecordError) as error:
            raise RepairError(Refusal(f"an interrupted repair cannot be brought to an end: {error}")) from None
        finally:
            disk.close()


def forget(root: str) -> tuple[str, ...]:
    """Remove undo records and the old files kept for them; returns their names. The repairs become final."""
    with locked(root):
        disk = RealDisk(root)
        try:
            recover_disk(disk)
            gone: list[str] = []
            for number in reversed(undo_numbers(disk)):
                record = read_record(disk, undo_name(number))
                disk.unlink(undo_name(number))
                disk.fsync_folder(undo_name(number))
                gone += [undo_name(number), *sweep(disk, folders_of(record.steps if record else ()))]
            return tuple(gone)
        finally:
            disk.close()


def interrupted(root: str) -> bool:
    """True if a repair of this folder was interrupted and `recover` has something to do."""
    return os.path.lexists(os.path.join(root, JOURNAL))


@contextlib.contextmanager
def locked(root: str) -> Iterator[None]:
    """Keep a second loadproof out of the folder. The lock is on the folder itself: it leaves nothing behind."""
    import fcntl

    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RepairError(Refusal(f"another loadproof is repairing {root}", "wait for it to end")) from None
        yield
    finally:
        os.close(descriptor)


def _tidy(disk: RealDisk, plan: Plan) -> None:
    """Recover first; helper files of an interrupted stream stay if this plan can go on with them."""
    try:
        if recover_disk(disk) != "nothing":
            raise RepairError(Refusal("an interrupted repair had to be brought to an end first", "plan again"))
    except (ForeignStateError, ForeignRecordError) as error:
        raise RepairError(Refusal(f"an interrupted repair cannot be brought to an end: {error}")) from None
    if next_number(plan.root) != plan.number:
        raise RepairError(Refusal("the folder was repaired since the plan was made", "plan again"))


def _refuse(plan: Plan, readers_stopped: bool) -> None:
    refusals = gates(plan, readers_stopped=readers_stopped)
    if refusals:
        raise RepairError(*refusals)


def _run(disk: RealDisk, record: Record) -> None:
    try:
        commit(disk, record)
    except ForeignStateError as error:
        raise RepairError(
            Refusal(f"the checkpoint has changed since the plan was made: {error}", "plan again")
        ) from None
    except OSError as error:
        raise RepairInterruptedError(
            Refusal(f"interrupted: {error}", f"run `loadproof undo {disk.root}` to bring it to an end")
        ) from error


def _sweep(disk: RealDisk) -> None:
    for folder, _, files in os.walk(disk.root):
        if any(name.startswith(PREFIX) for name in files):
            relative = os.path.relpath(folder, disk.root)
            sweep(disk, ("" if relative == "." else relative,))


def _is_helper(name: str) -> bool:
    return name.rpartition("/")[2].startswith(PREFIX)


def _title(plan: Plan) -> str:
    return ", ".join(dict.fromkeys(change.action for change in plan.changes))
