"""Carrying out a plan in place, undoing it, recovering from an interruption."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Sequence

from loadproof.core.repairs import Applied as Applied
from loadproof.records import KeyUnusableError
from loadproof.records.key import load_key
from loadproof.records.names import RESUME
from loadproof.repair.contained import is_helper
from loadproof.repair.disk import Disk, RealDisk
from loadproof.repair.foreign import ForeignRecord, adopt, foreign_on, foreign_records, ignored, refusal
from loadproof.repair.journal import (
    JOURNAL,
    TEMPORARY,
    ForeignRecordError,
    Record,
    next_undo,
    read_record,
    undo_name,
    undo_numbers,
)
from loadproof.repair.permission import gates, record_gates
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.stamps import check_stamps, stamps_of
from loadproof.repair.states import ForeignStateError
from loadproof.repair.steps import Step, inverse, names_in
from loadproof.repair.stream import Progress, abandon, discard, prepare, sources_of
from loadproof.repair.transaction import Recovery, commit, retire
from loadproof.repair.transaction import recover as recover_disk

Gate = Callable[[Sequence[Step], bool], None]  # the steps, and whether they were begun; raises RepairError
STALE = Refusal("the checkpoint has changed since the plan was made", "plan again")


class RepairError(Exception):
    """Nothing was changed; `refusals` says why."""

    def __init__(self, *refusals: Refusal) -> None:
        super().__init__("; ".join(f"{r.reason} ({r.alternative})" if r.alternative else r.reason for r in refusals))
        self.refusals = refusals


class RepairInterruptedError(RepairError):
    """Something failed half-way. The checkpoint is closed to readers or as before; `recover` brings it to an end."""


class ForeignRecordsError(RepairError):
    """Records that are not ours lie there; `records` say what they would do. Nothing was touched."""

    def __init__(self, root: str, records: tuple[ForeignRecord, ...]) -> None:
        super().__init__(*(refusal(root, record) for record in records))
        self.records = records


def apply(plan: Plan, *, progress: Progress | None = None, readers_stopped: bool = False) -> Applied:
    """Carry out a plan in place: afterwards everything is done, or nothing is.

    Raises RepairError before anything was touched, RepairInterruptedError (call `recover`) after that.
    """
    if plan.refusals:
        raise RepairError(*plan.refusals)
    if not plan.steps:
        return Applied(plan.root, (), 0)
    with _disk(plan.root) as disk:
        refuse_foreign(disk)
        refusals = gates(plan, readers_stopped=readers_stopped)
        if refusals:
            raise RepairError(*refusals)
        disk.seal.make_key()
        apply_on(disk, plan, progress)
        words = ignored(disk)
    files = tuple(change.file for change in plan.changes)
    return Applied(plan.root, files, plan.writes, undo_name(plan.number), ignored=words)


def foresee(plan: Plan, *, readers_stopped: bool = False) -> tuple[Refusal, ...]:
    """What `apply` would refuse just now, found without changing anything; nothing where it would begin.

    Records of others are not among it: whoever plans asks `check_records` first.
    """
    if plan.refusals or not plan.steps:
        return plan.refusals
    try:
        with _disk(plan.root):
            load_key()
            return gates(plan, readers_stopped=readers_stopped)
    except RepairError as error:
        return error.refusals


def apply_on(disk: Disk, plan: Plan, progress: Progress | None = None) -> None:
    """`apply` without lock and gates. An interrupted stream of the same plan is gone on with."""
    if recover_disk(disk) != "nothing":
        raise RepairError(Refusal("an interrupted repair had to be brought to an end first", "plan again"))
    if next_undo(disk) != plan.number:
        raise RepairError(Refusal("the folder was repaired since the plan was made", "plan again"))
    if sources_of(plan) != plan.sources:
        raise RepairError(STALE)
    prepare(disk, plan, progress)
    stamps = stamps_of(disk, plan.steps)
    try:
        commit(disk, Record(title=_title(plan), number=plan.number, steps=plan.steps, stamps=stamps))
    except ForeignStateError:
        abandon(disk)
        raise
    discard(disk)


def undo(root: str, *, adopt_records: bool = False) -> Applied:
    """Take back the last repair of a folder, byte for byte; or bring an interrupted one to its end.

    With `adopt_records` the records of others are taken over first. Raises RepairError (ForeignRecordsError where
    records are not ours and not to be taken over), RepairInterruptedError.
    """
    with _disk(root) as disk:
        take_over(disk, adopt_records=adopt_records)
        record = undo_on(disk, _gate(disk))
        words = ignored(disk)
    files = dict.fromkeys(name for step in record.steps for name in names_in(step) if not is_helper(name))
    return Applied(root, tuple(files), 0, notes=(record.title,), ignored=words)


def undo_on(disk: Disk, gate: Gate | None = None) -> Record:
    """`undo` without the lock; returns the record that was taken back."""
    recovered = recover_on(disk, gate)
    if recovered in ("rolled back", "undone"):
        return Record(title=f"an interrupted repair was {recovered}", number=0, steps=())
    numbers = undo_numbers(disk)
    if not numbers:
        raise RepairError(Refusal("there is no repair to undo here"))
    record = read_record(disk, undo_name(numbers[-1]))
    steps = inverse(record.steps)
    if gate is not None:
        gate(steps, False)
    check_stamps(disk, record.stamps)
    for step in steps:
        for name in names_in(step):
            if is_helper(name) and not disk.is_file(name):
                disk.clear(name)  # a prepared file gets this name back for a moment
    commit(disk, Record(title=f"undo: {record.title}", number=record.number, steps=steps, undoes=numbers[-1]))
    return record


def recover(root: str, *, adopt_records: bool = False) -> Recovery:
    """Bring an interrupted repair or undo to an end; returns how (`transaction.Recovery`). Idempotent."""
    with _disk(root) as disk:
        take_over(disk, adopt_records=adopt_records)
        return recover_on(disk, _gate(disk))


def recover_on(disk: Disk, gate: Gate | None = None) -> Recovery:
    """`recover` without the lock. Files that an interrupted repair was preparing go as well."""
    if gate is not None and disk.is_file(JOURNAL):
        gate(read_record(disk, JOURNAL).steps, True)
    result = recover_disk(disk)
    abandon(disk)
    for temporary in (TEMPORARY, RESUME + ".tmp"):
        if disk.is_file(temporary):
            disk.unlink(temporary)
            disk.fsync_folder(temporary)
    return result


def forget(root: str, *, adopt_records: bool = False) -> tuple[str, ...]:
    """Remove undo records and the old files kept for them; returns their names. The repairs become final."""
    with _disk(root) as disk:
        take_over(disk, adopt_records=adopt_records)
        recover_on(disk, _gate(disk))
        gone: list[str] = []
        for number in reversed(undo_numbers(disk)):
            record = read_record(disk, undo_name(number))
            gone += [undo_name(number), *retire(disk, undo_name(number), record)]
        return tuple(gone)


def interrupted(root: str) -> bool:
    """True if a repair of this folder was interrupted and `recover` has something to do."""
    with RealDisk(root) as disk:
        return disk.is_file(JOURNAL)


# ---------------------------------------------------------------- records that are not ours
def refuse_foreign(disk: RealDisk) -> None:
    """Raises ForeignRecordsError."""
    found = foreign_on(disk)
    if found:
        raise ForeignRecordsError(disk.root, found)


def take_over(disk: RealDisk, *, adopt_records: bool) -> None:
    """Records of others are signed as ours when the user said so, else they stop everything."""
    if adopt_records:
        adopt(disk)
    else:
        refuse_foreign(disk)


def check_records(root: str, *, adopt_records: bool = False, carry_out: bool = False, in_place: bool = True) -> None:
    """Before a repair is planned: raises ForeignRecordsError, or takes records over where that is to be `carry_out`.

    A copy (not `in_place`) carries no record along: only a journal stops it, since the files may be half-way.
    """
    if adopt_records:
        if carry_out:
            with _disk(root) as disk:
                adopt(disk)
        return
    found = foreign_records(root)
    stopping = tuple(one for one in found if in_place or one.name == JOURNAL)
    if stopping:
        raise ForeignRecordsError(root, stopping)


def _gate(disk: RealDisk) -> Gate:
    """What a repair may not touch, taking one back may not touch either."""

    def gate(steps: Sequence[Step], started: bool) -> None:
        refusals = record_gates(disk.root, steps, started=started)
        if refusals:
            raise RepairError(*refusals)

    return gate


# ---------------------------------------------------------------- one at a time
@contextlib.contextmanager
def locked(root: str) -> Iterator[None]:
    """Keep a second loadproof out of the folder. The lock is on the folder itself: it leaves nothing behind."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RepairError(Refusal(f"{root}: {error.strerror}")) from None
    try:
        lock(descriptor, root)
        yield
    finally:
        os.close(descriptor)


def lock(descriptor: int, root: str) -> None:
    """Raises RepairError when another loadproof has the folder, or it cannot be locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RepairError(Refusal(f"another loadproof is repairing {root}", "wait for it to end")) from None
    except OSError as error:
        reason = f"{root} cannot be locked against a second loadproof: {error.strerror}"
        raise RepairError(Refusal(reason, "make a repaired copy with --out DIR")) from None


@contextlib.contextmanager
def _disk(root: str) -> Iterator[RealDisk]:
    """The locked folder, with what can go wrong there turned into RepairError."""
    try:
        disk = RealDisk(root)
    except OSError as error:
        raise RepairError(Refusal(f"{root}: {error.strerror}")) from None
    with disk:
        lock(disk.folder, root)
        try:
            yield disk
        except ForeignRecordError as error:
            raise RepairError(Refusal(str(error), "nothing was touched")) from None
        except ForeignStateError as error:
            raise RepairError(Refusal(f"something has changed since: {error}", "nothing was touched")) from None
        except KeyUnusableError as error:
            raise RepairError(Refusal(str(error), "nothing was touched")) from None
        except OSError as error:
            way_out = f"`loadproof undo {root}` brings the checkpoint back, whatever state it is in"
            raise RepairInterruptedError(Refusal(f"interrupted: {error}", way_out)) from error


def _title(plan: Plan) -> str:
    return ", ".join(dict.fromkeys(change.action for change in plan.changes))
