"""A zip archive read strictly: members inside the file, none inside another, both headers of a member alike."""

from __future__ import annotations

import struct
import zlib

from loadproof.formats.faults import Faults, cut
from loadproof.formats.torch.zip_end import find_directory
from loadproof.formats.torch.zip_members import DEFLATED, Member, read_members
from loadproof.storage.base import Ranged

MOST_INFLATED = 1 << 28  # bytes of one member that is read whole
MOST_RATIO = 200  # times that a member may inflate, beyond 1 MB
_LOCAL = struct.Struct("<4s2xHH8xIIHH")
_SIGN = b"PK\x03\x04"
_ALIKE = 0x2041  # flag bits that both headers must share: encryption
_SIZES_FOLLOW = 8  # flag bit: the sizes stand after the data
_WINDOW = 1 << 16
_SMALL = 4_096  # bytes; the headers of small neighbours share one read


class Archive:
    """Its members by name, in the order of the directory; `has_directory` is False where the file is cut off."""

    def __init__(self, opened: Ranged, file: str, faults: Faults) -> None:
        self.opened, self.file, self.faults = opened, file, faults
        self.members: dict[str, Member] = {}
        self.end = 0  # of the data: where the directory begins
        self._window, self._window_at = b"", 0
        found = find_directory(opened, file, faults)
        self.has_directory = found is not None
        if found is not None:
            self.end = found.begin
            data = opened.read(found.begin, found.length)
            self.members = read_members(data, found.count, found.shift, file, faults)
            self._check_places()

    def _add(self, detail: str, member: Member, text: str) -> None:
        self.faults.add("LP006", self.file, detail, f"{cut(ascii(member.name))} {text}", offset=member.header)

    def locate(self, member: Member) -> int:
        """Where the data of a member begin, from its local header; -1 where there is none."""
        if member.begin >= 0:
            return member.begin
        window, at = self._header(member)
        if len(window) < at + _LOCAL.size or not window.startswith(_SIGN, at):
            self._add("zip-header", member, f"has no header at byte {member.header:,}")
            return -1
        _, flags, method, packed, size, name_length, extra_length = _LOCAL.unpack_from(window, at)
        name = window[at + 30 : at + 30 + name_length]
        if name != member.name.encode() or method != member.method or (flags ^ member.flags) & _ALIKE:
            self._add("zip-header", member, "has another name, method or encryption in its own header")
        is_stated = not flags & _SIZES_FOLLOW and 0xFFFFFFFF not in (packed, size)
        if is_stated and (packed, size) != (member.packed, member.size):
            self._add("zip-header", member, "has other sizes in its own header")
        member.begin = member.header + 30 + name_length + extra_length
        if member.begin + member.packed > self.end:
            self._add("zip-bounds", member, "runs into the directory")
        return member.begin

    def _header(self, member: Member) -> tuple[bytes, int]:
        """Bytes that hold the local header, and where in them."""
        length = 30 + len(member.name) * 4
        at = member.header - self._window_at
        if not 0 <= at <= len(self._window) - length:
            self._window_at, at = member.header, 0
            self._window = self.opened.read(member.header, _WINDOW if member.packed < _SMALL else length)
        return self._window, at

    def read(self, name: str) -> bytes | None:
        """The content of a small member, its check sum compared; None where it cannot be had."""
        member = self.members[name]
        begin = self.locate(member)
        if begin < 0:
            return None
        if max(member.size, member.packed) > MOST_INFLATED or (
            member.method == DEFLATED and member.size > max(1 << 20, member.packed * MOST_RATIO)
        ):
            self._add("zip-bomb", member, f"would become {member.size:,} bytes out of {member.packed:,}: not read")
            return None
        content = _content(self.opened.read(begin, member.packed), member)
        if content is None or len(content) != member.size:
            self._add("zip-content", member, "does not hold what the directory says")
            return None
        if member.crc and zlib.crc32(content) != member.crc:
            self._add("zip-crc", member, "does not have its check sum")
        return content

    def _check_places(self) -> None:
        """No member inside another, none in the directory."""
        found = sorted(self.members.values(), key=lambda member: member.header)
        for member, following in zip(found, (*(m.header for m in found[1:]), self.end), strict=False):
            if member.header + 30 + len(member.name.encode()) + member.packed > following:
                self._add("zip-overlap", member, "overlaps what follows it")
        if found and found[0].header:
            text = f"{found[0].header:,} bytes lie before the first member of the archive"
            self.faults.add("LP006", self.file, "zip-prefix", text, severity="warning", offset=0)


def _content(raw: bytes, member: Member) -> bytes | None:
    if member.method != DEFLATED:
        return raw
    try:
        return zlib.decompressobj(-15).decompress(raw, member.size + 1)
    except zlib.error:
        return None
