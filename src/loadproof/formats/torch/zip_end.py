"""The end of a zip archive: where its directory is."""

from __future__ import annotations

import struct

from msgspec import Struct

from loadproof.formats.faults import Faults
from loadproof.storage.base import Ranged

_END, _LOCATOR, _END_64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_TAIL = 22 + 65_535  # an end record and the longest comment
_LEAST_ENTRY = 46  # bytes
_MOST_MEMBERS, _MOST_BYTES = 3_000_000, 1 << 29


class Directory(Struct, frozen=True):
    """Where the directory is; `shift` are bytes before the archive, which move every offset in it."""

    count: int
    begin: int
    length: int
    shift: int = 0


def find_directory(opened: Ranged, file: str, faults: Faults) -> Directory | None:
    """The directory of the archive that ends the file, None where there is none or it contradicts itself."""
    tail_at = max(0, opened.size - _TAIL)
    tail = opened.read(tail_at, opened.size - tail_at)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        return None
    _, disk, _, _, count, length, begin, comment = struct.unpack_from("<IHHHHIIH", tail, at)
    end = tail_at + at
    if (rest := opened.size - end - 22 - comment) != 0:
        _trailing(rest, end + 22 + comment, file, faults)
    if disk:
        faults.add("LP006", file, "zip-disks", "the archive says that it lies on several disks", offset=end)
    limit = end
    if _is_wide(tail, at, count, length, begin):
        wide = _wide(opened, end)
        if wide is None:
            text = "the zip64 end record is not where the file says"
            faults.add("LP006", file, "zip-directory", text, offset=end)
            return None
        count, length, begin, limit = wide
    return _checked(Directory(count, begin, length), limit, file, faults)


def _trailing(rest: int, at: int, file: str, faults: Faults) -> None:
    text = f"{rest:,} bytes follow the end of the zip archive"
    faults.add("LP004", file, "zip-trailing", text, severity="warning", offset=at)


def _is_wide(tail: bytes, at: int, count: int, length: int, begin: int) -> bool:
    is_full = count == 0xFFFF or 0xFFFFFFFF in (length, begin)
    return is_full or tail[max(0, at - 20) : at].startswith(_LOCATOR)


def _wide(opened: Ranged, end: int) -> tuple[int, int, int, int] | None:
    """(count, length, begin, where the record is) from the zip64 record before the end record at `end`."""
    locator = opened.read(max(0, end - 20), 20)
    place = struct.unpack_from("<IQI", locator, 4)[1] if locator[:4] == _LOCATOR and len(locator) == 20 else -1
    record = opened.read(place, 56) if 0 <= place < end else b""
    if len(record) < 56 or record[:4] != _END_64:
        return None
    if place + 12 + struct.unpack_from("<Q", record, 4)[0] != end - 20:
        return None
    _, count, length, begin = struct.unpack_from("<QQQQ", record, 24)
    return count, length, begin, place


def _checked(found: Directory, limit: int, file: str, faults: Faults) -> Directory | None:
    """The directory must end where the end record begins; bytes before the archive shift it."""
    last = found.begin + found.length
    if last > limit:
        text = f"the zip directory ({found.begin:,} + {found.length:,} bytes) does not lie inside the file"
        faults.add("LP006", file, "zip-directory", text)
        return None
    if found.count > _MOST_MEMBERS or found.length > _MOST_BYTES or found.count * _LEAST_ENTRY > found.length:
        text = f"{found.count:,} members in a zip directory of {found.length:,} bytes"
        faults.add("LP006", file, "zip-directory", text)
        return None
    shift = limit - last
    return Directory(found.count, found.begin + shift, found.length, shift)
