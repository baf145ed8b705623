"""Expectations, and what else a release answers, kept in the user's cache folder.

An entry is trusted only if it belongs to the user, nobody else may write to it, it holds exactly the key asked for,
decodes as the kind of answer asked for, and every source file it was read from still has its size and time. These are
easily given to another text, so what strangers filled must have the same content as well, and its folders the same names;
the installed release is no stranger: who can write there runs at the next import. Failing to read or write is never an
error.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar
from zlib import adler32, crc32

import msgspec
from msgspec import Struct

from loadproof.interpret.release.seen import Seen, digest_at
from loadproof.version import __version__

_FORMAT = 5
_MAX_BYTES = 64_000_000
_MAX_ENTRIES = 2_000  # of about 15 kB each; the older half goes when there are more
# No link is followed, and a FIFO in the place of an entry must not hang.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
T = TypeVar("T")
Stamp = tuple[str, int, int, str]  # path, size, modification time in ns, digest of the content


class Entry(Struct, Generic[T], frozen=True):
    key: str
    stamps: tuple[Stamp, ...]
    answer: T
    packages: dict[str, bool] = {}  # what the answer supposes of the environment: name -> whether it is installed


def folder() -> str:
    """`$XDG_CACHE_HOME/loadproof`, else `~/.cache/loadproof`."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "loadproof", "expectations")


def key_of(
    root: str,
    version: str,
    code_folder: str,
    raw: dict[str, Any],
    class_name: str | None,
    is_trusted: bool = True,
    devices: tuple[str, ...] = (),
) -> str:
    """Everything an expectation depends on, apart from the content of the source files; empty when it is too deep."""
    where = os.path.realpath(code_folder) if "auto_map" in raw else ""
    release = [os.path.realpath(root), is_trusted, version]
    parts = [_FORMAT, __version__, _own_code(), *release, where, class_name, devices, raw]
    try:
        return json.dumps(parts, sort_keys=True)  # msgspec cannot tell NaN from null, and knows no integer of 65 bits
    except (ValueError, TypeError, RecursionError):
        return ""


def key_of_answer(kind: str, *parts: Any) -> str:
    """The same for another kind of answer; empty where the parts are no plain data."""
    try:
        return json.dumps([_FORMAT, __version__, _own_code(), kind, *parts], sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        return ""


def _own_code() -> list[int]:
    """Count, sizes and newest time of the evaluator's own files: a change between two releases must not meet old entries."""
    own = os.path.dirname(os.path.abspath(__file__))
    folders = [folder for folder, _, _ in os.walk(own) if not folder.endswith("__pycache__")]
    infos = [entry.stat() for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".py")]
    return [len(infos), sum(info.st_size for info in infos), max(info.st_mtime_ns for info in infos)]


def _path(key: str) -> str:
    data = key.encode()
    return os.path.join(folder(), f"{crc32(data):08x}{adler32(data):08x}{len(data):x}.msgpack")


def load(key: str, kind: type[T]) -> T | None:
    """The answer of this key, None when there is none that can be trusted."""
    try:
        with open(os.open(_path(key), _READ), "rb") as f:
            if not _is_ours(os.fstat(f.fileno())):
                return None
            entry = msgspec.msgpack.decode(f.read(), type=Entry[kind])  # type: ignore[valid-type]
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
    fresh = entry.key == key and bool(entry.stamps) and all(map(_is_unchanged, entry.stamps))
    return entry.answer if fresh and _are_as_supposed(entry.packages) else None


def _are_as_supposed(packages: dict[str, bool]) -> bool:
    if not packages:
        return True
    from loadproof.interpret.release.machine import is_installed

    return all(is_installed(name) == there for name, there in packages.items())


def _is_ours(info: os.stat_result) -> bool:
    """A plain file of this user that nobody else may write to."""
    if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
        return False
    return os.name == "nt" or (info.st_uid == os.getuid() and not info.st_mode & 0o022)


def _is_unchanged(stamp: Stamp) -> bool:
    path, _, _, digest = stamp
    if _stamp(Seen(path, digest)) != stamp:
        return False
    return not digest or digest == digest_at(path)


def _stamp(seen: Seen) -> Stamp | None:
    """A folder is known by its names alone: its time changes with files that are none of the evaluator's business."""
    try:
        info = os.stat(seen.path)
    except OSError:
        return None
    if stat.S_ISDIR(info.st_mode):
        return seen.path, 0, 0, seen.digest
    return seen.path, info.st_size, info.st_mtime_ns, seen.digest


def store(key: str, files: Iterable[Seen], answer: object, packages: dict[str, bool] | None = None) -> None:
    """Write an entry in one step; a cache that cannot be written is no error."""
    stamps = tuple(map(_stamp, files))
    if not stamps or None in stamps:
        return
    path = _path(key)
    temporary = f"{path}.{os.getpid()}"
    try:
        data = msgspec.msgpack.encode(Entry(key, stamps, answer, packages or {}))  # type: ignore[arg-type]
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(temporary, _WRITE, 0o600), "wb") as f:
            f.write(data)
        os.replace(temporary, path)
    except (OSError, TypeError, ValueError, OverflowError):
        _discard(temporary)
    with suppress(OSError):
        _keep_small(os.path.dirname(path))


def _keep_small(where: str) -> None:
    entries = list(os.scandir(where))
    if len(entries) > _MAX_ENTRIES:
        entries.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in entries[: len(entries) // 2]:
            _discard(entry.path)


def _discard(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
