"""The record of a change as a file: magic, CRC, deflated MessagePack. A torn record is told from a whole one."""

from __future__ import annotations

import struct
import zlib

import msgspec

from loadproof.repair.disk import Disk
from loadproof.repair.steps import PREFIX, Step, names_in

JOURNAL = PREFIX + "journal"
UNDO = PREFIX + "undo-"
MAGIC = b"LOADPRF1"
_HEAD = struct.Struct("<8sIQ")  # magic, crc32 of the rest, length of the deflated body
LIMIT = 1 << 30  # bytes of a record after inflating


class Record(msgspec.Struct, frozen=True):
    """`number` names the undo record that this change leaves; `undoes` is set where the change itself is an undo."""

    title: str
    number: int
    steps: tuple[Step, ...]
    undoes: int | None = None
    version: int = 1


class ForeignRecordError(ValueError):
    """The record is whole, but not one that may be acted on."""


def undo_name(number: int) -> str:
    return f"{UNDO}{number}"


def undo_numbers(disk: Disk) -> list[int]:
    """Numbers of the undo records in the folder, oldest first."""
    tails = (name.removeprefix(UNDO) for name in disk.names("") if name.startswith(UNDO))
    return sorted(int(tail) for tail in tails if tail.isascii() and tail.isdigit())


def next_undo(disk: Disk) -> int:
    """The number of the undo record that the next repair of this folder leaves."""
    return max(undo_numbers(disk), default=0) + 1


def write_record(disk: Disk, name: str, record: Record) -> None:
    """Durable under `name` when this returns; before that the name does not exist."""
    body = zlib.compress(msgspec.msgpack.encode(record), 1)
    blob = _HEAD.pack(MAGIC, zlib.crc32(body), len(body)) + body
    temporary = name + ".tmp"
    if disk.exists(temporary):
        disk.unlink(temporary)
    disk.create(temporary)
    disk.write(temporary, 0, blob)
    disk.fsync(temporary)
    disk.rename(temporary, name)
    disk.fsync_folder(name)


def read_record(disk: Disk, name: str) -> Record | None:
    """The record, or None when it is torn. Raises ForeignRecordError when its content must not be acted on."""
    blob = disk.read(name, 0, min(disk.size(name), LIMIT))
    if len(blob) < _HEAD.size or blob[:8] != MAGIC:
        return None
    _, crc, length = _HEAD.unpack_from(blob)
    body = blob[_HEAD.size :]
    if len(body) != length or zlib.crc32(body) != crc:
        return None
    try:
        record = msgspec.msgpack.decode(zlib.decompressobj().decompress(body, LIMIT), type=Record)
    except (msgspec.DecodeError, zlib.error) as error:
        raise ForeignRecordError(f"{name}: written by another version of loadproof ({error})") from None
    _contained(name, record)
    return record


def _contained(name: str, record: Record) -> None:
    # The record lies in a folder that may have been downloaded: it must not reach out of it.
    for step in record.steps:
        for file in names_in(step):
            parts = file.split("/")
            if file.startswith("/") or "\0" in file or any(part in ("", ".", "..") for part in parts):
                raise ForeignRecordError(f"{name}: names a file outside the folder: {file!r}")
