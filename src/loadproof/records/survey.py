"""Which records lie in a folder, and whose they are."""

from __future__ import annotations

import os
import stat
import zlib
from typing import Protocol

from msgspec import Struct

from loadproof.records.key import KeyUnusableError
from loadproof.records.names import JOURNAL, UNDO, number_of
from loadproof.records.seal import HEAD, NotOursError, Seal, Status, place_of

BLOCKING = frozenset({"copied", "foreign", "unsigned", "damaged"})  # what a repair stops at; strays are passed by
LARGEST = 1 << 30  # bytes of a record, deflated or inflated
_PLAIN = 64 << 20  # inflated bytes that are nothing unusual
_RATIO = 200  # beyond that, what inflates to more than this times its size is a bomb; headers reach 40
_OLD_HEAD = 20  # bytes of magic, CRC and length in the format of 0.1.0
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Found(Struct, frozen=True):
    """A name that a record would have; `why` says what is wrong with it, empty for one of ours.

    ours: signed by this user for this folder. copied: by this user, for another folder. foreign: with another key.
    unsigned: in the format of 0.1.0. damaged: a record no more. stray: no record, whatever its name says.
    """

    name: str
    status: Status
    why: str = ""


class Reader(Protocol):
    """Files of one folder by name. Reading what is no regular file raises OSError."""

    def names(self, folder: str) -> list[str]: ...
    def size(self, name: str) -> int: ...
    def read(self, name: str, offset: int, length: int) -> bytes: ...


def survey(folder: Reader, seal: Seal) -> tuple[Found, ...]:
    """Every journal and undo record of a folder, the journal first, then by number; strays last."""
    found = [_judge(folder, seal, name) for name in folder.names("") if name == JOURNAL or name.startswith(UNDO)]
    return tuple(sorted(found, key=lambda one: (one.status == "stray", number_of(one.name) or 0, one.name)))


def _judge(folder: Reader, seal: Seal, name: str) -> Found:
    if name != JOURNAL and number_of(name) is None:
        return Found(name, "stray", "no record has such a name")
    try:
        size = folder.size(name)
        blob = folder.read(name, 0, HEAD)
    except OSError:
        return Found(name, "stray", "it is not a regular file that can be read")
    if size > LARGEST:
        return Found(name, "stray", f"it has {size:,} bytes, more than any record")
    try:
        begin = seal.start_of_body("record", blob)
        seal.unwrap("record", blob[:begin] + folder.read(name, begin, size - begin))
    except NotOursError as error:
        if error.status in ("foreign", "unsigned") and _is_bomb(folder, name, size):
            return Found(name, "stray", "it inflates to far more than any record")
        return Found(name, error.status, error.why)
    except KeyUnusableError as error:
        return Found(name, "foreign", str(error))
    return Found(name, "ours")


def _is_bomb(folder: Reader, name: str, size: int) -> bool:
    """Inflates piece by piece and keeps nothing; stops at what no record reaches."""
    stream = zlib.decompressobj()
    at, out, limit = _body_start(folder, name), 0, max(_PLAIN, _RATIO * size)
    try:
        while at < size and not stream.eof:
            piece = folder.read(name, at, 1 << 16)
            at += len(piece)
            while piece and out <= limit:
                out += len(stream.decompress(piece, 1 << 20))
                piece = stream.unconsumed_tail
            if out > min(limit, LARGEST):
                return True
    except zlib.error:
        return False  # not even that: damaged, or of another kind
    return False


def _body_start(folder: Reader, name: str) -> int:
    head = folder.read(name, 0, HEAD)
    signed = 10 + int.from_bytes(head[8:10], "little") + 32
    return signed if head[:8] == b"LOADPRF2" else _OLD_HEAD


class _Folder:
    """The reader of `look`: nothing but regular files of the folder itself, never through a link."""

    def __init__(self, root: str) -> None:
        self.root = root

    def names(self, folder: str) -> list[str]:  # noqa: ARG002 - records lie at the top only
        return os.listdir(self.root)

    def size(self, name: str) -> int:
        found = os.lstat(os.path.join(self.root, name))
        if not stat.S_ISREG(found.st_mode):
            raise PermissionError(f"{name}: not a regular file")
        return found.st_size

    def read(self, name: str, offset: int, length: int) -> bytes:
        descriptor = os.open(os.path.join(self.root, name), _READ)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PermissionError(f"{name}: not a regular file")
            os.lseek(descriptor, offset, os.SEEK_SET)
            pieces = []
            while length > 0 and (piece := os.read(descriptor, length)):
                pieces.append(piece)
                length -= len(piece)
            return b"".join(pieces)
        finally:
            os.close(descriptor)


def look(root: str) -> tuple[Found, ...]:
    """`survey` of a folder by its path, for those who only want to know. Raises OSError."""
    return survey(_Folder(root), Seal(place_of(root)))
