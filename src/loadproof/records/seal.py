"""The signed envelope of a record: magic, head, HMAC of the head, body. The head holds the digest of the body.

Whose a record is can so be seen in its first kilobyte, and nothing of a stranger's body is read or inflated.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import struct
from typing import Literal

import msgspec

from loadproof.records.key import load_key, make_key, user

MAGIC = b"LOADPRF2"
UNSIGNED = b"LOADPRF1"  # loadproof 0.1.0
_LENGTH = struct.Struct("<H")
_START = len(MAGIC) + _LENGTH.size
_MAC = hashlib.sha256().digest_size
Status = Literal["ours", "copied", "foreign", "unsigned", "damaged", "stray"]
HEAD = _START + (1 << 16) + _MAC  # bytes that hold magic, head and HMAC for certain


class Place(msgspec.Struct, frozen=True):
    """Which folder. The inode stays when a folder is renamed; device numbers may change when a disk is mounted again."""

    device: int
    inode: int
    system: int  # id of the file system, 0 where it has none
    path: str  # when the record was made: for people, and a third witness

    def is_same(self, other: Place) -> bool:
        """The inode must agree, and so must one of device, file system and path."""
        if self.inode != other.inode:
            return False
        by_system = self.system == other.system != 0
        return self.device == other.device or by_system or self.path == other.path


class _Head(msgspec.Struct, frozen=True):
    kind: str
    user: int
    place: Place
    size: int
    digest: bytes


class NotOursError(ValueError):
    """A record that does not count, and why."""

    def __init__(self, status: Status, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Seal:
    """Signs for this user and one folder. The key is read when it is first needed, and made when something is signed."""

    def __init__(self, place: Place, key: bytes | None = None, of_user: int | None = None) -> None:
        self.place, self._key = place, key
        self.user = user() if of_user is None else of_user

    def make_key(self) -> None:
        """Raises KeyUnusableError."""
        self._key = self._key or make_key()

    def wrap(self, kind: str, body: bytes) -> bytes:
        """The signed envelope. Raises KeyUnusableError."""
        self.make_key()
        head = msgspec.msgpack.encode(_Head(kind, self.user, self.place, len(body), hashlib.sha256(body).digest()))
        start = MAGIC + _LENGTH.pack(len(head)) + head
        return start + self._mac(start) + body

    def start_of_body(self, kind: str, blob: bytes, *, elsewhere: bool = False) -> int:
        """Where the body begins, once the head proves to be ours. Raises NotOursError, KeyUnusableError.

        `blob`: the first `HEAD` bytes, or all of them. With `elsewhere` another folder of this user will do.
        """
        head, begin = _head_of(blob)
        self._key = self._key or load_key()
        mac = blob[begin - _MAC : begin]
        if self._key is None or not hmac.compare_digest(mac, self._mac(blob[: begin - _MAC])):
            raise NotOursError(
                "foreign", "it is not signed with your key: another user or machine made it, or your key was lost"
            )
        if head.kind != kind or head.user != self.user:
            raise NotOursError("foreign", "it was signed for something else")
        if not elsewhere and not head.place.is_same(self.place):
            raise NotOursError("copied", f"you made it for {head.place.path}, and this is another folder")
        return begin

    def unwrap(self, kind: str, blob: bytes, *, elsewhere: bool = False) -> bytes:
        """The body of a whole envelope of ours. Raises NotOursError, KeyUnusableError."""
        begin = self.start_of_body(kind, blob, elsewhere=elsewhere)
        return body_of(blob, begin)

    def _mac(self, start: bytes) -> bytes:
        return hmac.digest(self._key or b"", start, "sha256")


def _head_of(blob: bytes) -> tuple[_Head, int]:
    """The head, believed by nobody yet, and where the body begins. Raises NotOursError."""
    if blob[: len(UNSIGNED)] == UNSIGNED:
        raise NotOursError("unsigned", "it is not signed: loadproof 0.1.0 or somebody else made it")
    if blob[: len(MAGIC)] != MAGIC or len(blob) < _START:
        raise NotOursError("damaged", "it is damaged")
    end = _START + _LENGTH.unpack_from(blob, len(MAGIC))[0]
    try:
        head = msgspec.msgpack.decode(blob[_START:end], type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotOursError("damaged", "it is damaged") from None
    if len(blob) < end + _MAC:
        raise NotOursError("damaged", "it is damaged")
    return head, end + _MAC


def body_of(blob: bytes, begin: int | None = None) -> bytes:
    """The body, compared with the digest in the head: damage is found, not forgery. Raises NotOursError."""
    head, start = _head_of(blob)
    body = blob[start:] if begin is None else blob[begin:]
    if len(body) != head.size or hashlib.sha256(body).digest() != head.digest:
        raise NotOursError("damaged", "it is damaged")
    return body


def place_of(path: str, descriptor: int | None = None) -> Place:
    """The folder at `path`, or the one that is open as `descriptor`. Raises OSError."""
    found = os.stat(path if descriptor is None else descriptor)
    system = getattr(os.statvfs(path if descriptor is None else descriptor), "f_fsid", 0) if _HAS_STATVFS else 0
    return Place(found.st_dev, found.st_ino, system, os.path.realpath(path))


_HAS_STATVFS = hasattr(os, "statvfs")
