"""The directory of a zip archive: its members, each as the directory states it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from msgspec import Struct

from loadproof.formats.faults import Faults, cut

STORED, DEFLATED = 0, 8  # methods that torch writes, or may be given
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_SIGN = b"PK\x01\x02"
_WIDE = 0xFFFFFFFF  # the number stands in the zip64 field
_ENCRYPTED = 0x41  # flag bits: encrypted, strongly encrypted


class Member(Struct, gc=False):
    """One member; offsets and sizes in bytes. `begin` of the data is known once its local header was read."""

    name: str
    method: int
    flags: int
    crc: int
    packed: int  # size in the file
    size: int
    header: int  # offset of the local header
    begin: int = -1


def read_members(data: bytes, count: int, shift: int, file: str, faults: Faults) -> dict[str, Member]:
    """The members of a directory; `shift` is what to add to their offsets."""
    found: dict[str, Member] = {}
    lowered: dict[str, str] = {}
    for member in _entries(data, count, shift, file, faults):
        if member.name in found or lowered.setdefault(member.name.lower(), member.name) != member.name:
            text = f"{_shown(member)} is in the archive twice, or in two spellings: readers take different ones"
            faults.add("LP006", file, "zip-twice", text)
        _check(member, file, faults)
        found[member.name] = member
    return found


def _entries(data: bytes, count: int, shift: int, file: str, faults: Faults) -> Iterator[Member]:
    at = 0
    for _ in range(count):
        member, length = _entry(data, at, shift)
        if member is None:
            text = f"entry {at:,} of {len(data):,} bytes of the zip directory is none"
            faults.add("LP006", file, "zip-directory", text)
            return
        at += length
        yield member
    if at != len(data):
        text = f"{len(data) - at:,} bytes of the zip directory belong to no entry"
        faults.add("LP006", file, "zip-directory", text)


def _entry(data: bytes, at: int, shift: int) -> tuple[Member | None, int]:
    """The entry at this offset, and its length."""
    if at + _ENTRY.size > len(data):
        return None, 0
    sign, _, _, flags, method, _, _, crc, packed, size, *lengths, disk, _, _, header = _ENTRY.unpack_from(data, at)
    begin = at + _ENTRY.size
    end = begin + sum(lengths)
    if sign != _SIGN or end > len(data):
        return None, 0
    name = data[begin : begin + lengths[0]].decode("utf-8", "replace")
    if _WIDE in (packed, size, header):
        extra = data[begin + lengths[0] : begin + lengths[0] + lengths[1]]
        size, packed, header = _wide_numbers(extra, (size, packed, header))
    flags |= 1 if disk else 0  # on another disk: as unreadable as an encrypted one
    return Member(name, method, flags, crc, packed, size, header + shift), end - at


def _wide_numbers(extra: bytes, numbers: tuple[int, int, int]) -> tuple[int, int, int]:
    """Size, packed size and offset: in the zip64 field stand those that are written as 0xFFFFFFFF."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1 and at + 4 + length <= len(extra):
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, at + 4))
            size, packed, header = (next(wide, number) if number == _WIDE else number for number in numbers)
            return size, packed, header
        at += 4 + length
    return numbers


def _check(member: Member, file: str, faults: Faults) -> None:
    is_odd = member.flags & _ENCRYPTED or member.method not in (STORED, DEFLATED)
    if is_odd or (member.method == STORED and member.packed != member.size):
        text = f"{_shown(member)} is encrypted, or has a method or sizes that torch does not write"
        faults.add("LP006", file, "zip-member", text)
    if member.name.startswith("/") or "\\" in member.name or ".." in member.name.split("/") or "\0" in member.name:
        faults.add("LP006", file, "zip-path", f"{_shown(member)} leads out of the archive")


def _shown(member: Member) -> str:
    return cut(ascii(member.name))
