"""The record of a change as a file: deflated MessagePack in a signed envelope (`records.seal`)."""

from __future__ import annotations

import contextlib
import struct
import zlib
from typing import NoReturn

import msgspec

from loadproof.records.key import KeyUnusableError
from loadproof.records.names import JOURNAL, SWEEP, UNDO, number_of, undo_name
from loadproof.records.seal import UNSIGNED as MAGIC
from loadproof.records.seal import NotOursError, body_of
from loadproof.records.survey import LARGEST, survey
from loadproof.repair.contained import why_forbidden
from loadproof.repair.disk import Disk
from loadproof.repair.steps import Step

_HEAD = struct.Struct("<8sIQ")  # of an unsigned record: magic, crc32 of the rest, length of the deflated body
ADOPTABLE = 64 << 20  # inflated bytes of a stranger's record: it is decoded only to be shown and taken over
_NUMBERS = range(1, 10**9)
TEMPORARY = JOURNAL + ".tmp"  # under which every record is written


class Stamp(msgspec.Struct, frozen=True):
    """A data file as a repair left it: its size, and the SHA-256 of its first and last MiB."""

    name: str
    size: int
    digest: bytes


class Record(msgspec.Struct, frozen=True):
    """`number` names the undo record that this change leaves; `undoes` is set where the change itself is an undo."""

    title: str
    number: int
    steps: tuple[Step, ...]
    undoes: int | None = None
    version: int = 1
    stamps: tuple[Stamp, ...] = ()  # of the files that an undo exchanges or removes as a whole


class ForeignRecordError(ValueError):
    """The record must not be acted on; the text names it and says why."""


def undo_numbers(disk: Disk) -> list[int]:
    """Numbers of the undo records of this user for this folder, oldest first."""
    ours = (number_of(found.name) for found in survey(disk, disk.seal) if found.status == "ours")
    return [number for number in ours if number is not None]


def next_undo(disk: Disk) -> int:
    """The number of the undo record that the next repair of this folder leaves.

    A number is taken as long as anything at the top bears it, be it planted or left by a record that was deleted.
    """
    names = disk.names("")
    number = max(undo_numbers(disk), default=0) + 1
    while undo_name(number) in names or any(name.endswith(f".kept{number}") for name in names):
        number += 1
    return number


def write_record(disk: Disk, name: str, record: Record) -> None:
    """Durable under `name` when this returns; before that the name does not exist."""
    blob = disk.seal.wrap("record", zlib.compress(msgspec.msgpack.encode(record), 1))
    disk.clear(TEMPORARY)
    disk.create(TEMPORARY)
    disk.write(TEMPORARY, 0, blob)
    disk.fsync(TEMPORARY)
    if not disk.is_file(name):
        disk.clear(name)
    disk.rename(TEMPORARY, name)
    disk.fsync_folder(name)


def read_record(disk: Disk, name: str) -> Record:
    """A record of this user for this folder. Raises ForeignRecordError for every other one."""
    try:
        body = disk.seal.unwrap("record", _whole(disk, name))
    except NotOursError as error:
        raise ForeignRecordError(f"{name}: {error.why}") from None
    return _decoded(name, body)


def read_any_record(disk: Disk, name: str) -> Record:
    """Whoever made it, as long as it is whole and a repair could have made it. Raises ForeignRecordError."""
    blob = _whole(disk, name)
    with contextlib.suppress(NotOursError, KeyUnusableError):  # one's own, from another place
        return _decoded(name, disk.seal.unwrap("record", blob, elsewhere=True))
    try:
        body = _unsigned_body(blob) if blob[: len(MAGIC)] == MAGIC else body_of(blob)
    except NotOursError as error:
        raise ForeignRecordError(f"{name}: {error.why}") from None
    return _decoded(name, body, ADOPTABLE)


def _whole(disk: Disk, name: str) -> bytes:
    size = disk.size(name)
    if size > LARGEST:
        raise ForeignRecordError(f"{name}: it has {size:,} bytes, more than any record")
    return disk.read(name, 0, size)


def _unsigned_body(blob: bytes) -> bytes:
    if len(blob) >= _HEAD.size:
        _, crc, length = _HEAD.unpack_from(blob)
        body = blob[_HEAD.size :]
        if len(body) == length and zlib.crc32(body) == crc:
            return body
    raise NotOursError("damaged", "it is damaged")


def _decoded(name: str, body: bytes, most: int = LARGEST) -> Record:
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(body, most)
        if not stream.eof:
            _refuse(name, f"it inflates to more than {most:,} bytes")
        record = msgspec.msgpack.decode(plain, type=Record)
    except (msgspec.DecodeError, zlib.error, UnicodeDecodeError, RecursionError) as error:
        raise ForeignRecordError(f"{name}: written by another version of loadproof ({error})") from None
    number = number_of(name)
    if number is not None and record.number != number:
        _refuse(name, f"it says that it is number {record.number}")
    if record.number not in _NUMBERS or (record.undoes or 1) not in _NUMBERS:
        _refuse(name, "it has no number that a repair gives")
    for step in record.steps:
        if reason := why_forbidden(step, record.number):
            _refuse(name, reason)
    return record


def _refuse(name: str, reason: str) -> NoReturn:
    raise ForeignRecordError(f"{name}: {reason}")


__all__ = [
    "JOURNAL",
    "MAGIC",
    "SWEEP",
    "TEMPORARY",
    "UNDO",
    "ForeignRecordError",
    "Record",
    "Stamp",
    "next_undo",
    "number_of",
    "read_any_record",
    "read_record",
    "undo_name",
    "undo_numbers",
    "write_record",
]
