"""Records that are not ours: what they would do, in plain words, and how they are taken over when the user says so."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from msgspec import Struct

from loadproof.records.names import JOURNAL
from loadproof.records.survey import BLOCKING, Found, survey
from loadproof.repair.disk import Disk, RealDisk
from loadproof.repair.journal import ForeignRecordError, Record, read_any_record, write_record
from loadproof.repair.plan import Refusal
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, inverse

SHOWN = 40  # steps of one record that are shown


class ForeignRecord(Struct, frozen=True):
    """`steps` say in plain words what undoing it would do; empty, with `wrong`, where nobody may act on it."""

    name: str
    why: str
    steps: tuple[str, ...] = ()
    wrong: str = ""


def foreign_records(root: str) -> tuple[ForeignRecord, ...]:
    """The records in a folder that stop a repair, the journal first. Raises OSError."""
    with RealDisk(root) as disk:
        return foreign_on(disk)


def foreign_on(disk: Disk) -> tuple[ForeignRecord, ...]:
    return tuple(_foreign(disk, found) for found in survey(disk, disk.seal) if found.status in BLOCKING)


def ignored(disk: Disk) -> tuple[str, ...]:
    """A word for each name that looks like a record and is none."""
    strays = (found for found in survey(disk, disk.seal) if found.status == "stray")
    return tuple(f"{found.name} was ignored: {found.why}" for found in strays)


def _foreign(disk: Disk, found: Found) -> ForeignRecord:
    try:
        record = read_any_record(disk, found.name)
    except ForeignRecordError as error:
        return ForeignRecord(found.name, found.why, wrong=str(error).removeprefix(f"{found.name}: "))
    lines = [in_words(step) for step in inverse(record.steps)]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"and {len(lines) - SHOWN:,} steps more"]
    return ForeignRecord(found.name, found.why, tuple(lines))


def refusal(root: str, record: ForeignRecord) -> Refusal:
    """What stops the repair, and the ways out."""
    path = shlex.quote(os.path.join(root, record.name))
    what = "the journal of a repair that was interrupted" if record.name == JOURNAL else "an undo record"
    reason = f"{record.name}, {what}, does not count: {record.why}"
    if record.wrong:
        wrong = "" if record.wrong == record.why else f" ({record.wrong})"
        return Refusal(f"{reason}{wrong}; it cannot be taken over", f"remove it: rm {path}", record.name)
    way = f"if you do not know who made it, remove it: rm {path}; if you trust it, take it over with --adopt-records"
    return Refusal(reason, way, record.name)


def adopt(disk: Disk) -> tuple[ForeignRecord, ...]:
    """Sign the records of others for this user and folder: all of them or none; returns them.

    A repair must have been able to make them. Whether they fit the files is seen when they are carried out.
    Raises ForeignRecordError.
    """
    found = foreign_on(disk)
    records: list[tuple[str, Record]] = []
    for one in found:
        if one.wrong:
            raise ForeignRecordError(f"{one.name}: {one.wrong}; it cannot be taken over")
        records.append((one.name, read_any_record(disk, one.name)))
    for name, record in records:
        write_record(disk, name, record)
    return found


def in_words(step: Step) -> str:
    """One step for people."""
    match step:
        case Patch(file, _, _, new) | Grow(file, _, _, new):
            return f"write another header into {file} ({len(new):,} bytes)"
        case Rewrite(file, old, text):
            made = "create" if old is None else "replace the text of"
            return f"delete {file}" if text is None else f"{made} {file} ({len(text):,} bytes)"
        case Cut(file, size, tail, restore):
            return f"append {len(tail):,} bytes to {file}" if restore else f"cut {file} to {size:,} bytes"
        case Move(source, target):
            return f"rename {source} to {target}"
        case Swap(file, fresh, _):
            return f"put {fresh} in the place of {file}"


def words_of(records: Sequence[ForeignRecord]) -> list[str]:
    """What carrying them back would do, line by line."""
    return [
        line for one in records if one.steps for line in (f"undoing {one.name} would:", *map("  {}".format, one.steps))
    ]
