"""Writing new data files from sources: bounded memory, checked against the sources, resumable.

A file is prepared under a helper name, so nobody sees it before it is complete. A resume record, signed like every
other, names the helper files before the first of them is made. Now and then what is written is made durable and the
record says so; the same plan goes on from there, and any other removes what the record names.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

import msgspec

from loadproof.records import KeyUnusableError
from loadproof.records.names import COPY, RESUME
from loadproof.records.seal import NotOursError
from loadproof.repair.contained import is_helper
from loadproof.repair.disk import Disk
from loadproof.repair.plan import Plan, Seen, Stream
from loadproof.repair.sources import BLOCK, Files, Slice, Source, size_of, slices_of
from loadproof.repair.steps import Move, names_in

LARGEST_RESUME = 64 << 20  # bytes
DURABLE_EVERY = 512 << 20  # bytes between two resume records
Progress = Callable[[int, int, str], None]  # bytes done, bytes in all, what is being done


class Resume(msgspec.Struct):
    """`written` maps a helper name to the bytes of it that are on disk for certain; `names` are all that are made."""

    fingerprint: str
    names: list[str] = []
    links: dict[str, str] = {}  # of a copy: the links that are made last, and where they lead
    copy: bool = False
    written: dict[str, int] = {}
    checked: list[str] = []


class NotAsSentError(OSError):
    """What was written does not compare equal to what it was made from."""


class Meter:
    """Adds up the bytes written and checked, and reports them."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def add(self, count: int, what: str) -> None:
        self.done += count
        if self.progress is not None:
            self.progress(self.done, self.total, what)


def prepare(disk: Disk, plan: Plan, progress: Progress | None = None) -> None:
    """Write and check every stream of a plan under its helper name. Raises OSError; calling again goes on."""
    if not plan.streams:
        return
    resume = _resume(disk, plan)
    files = Files(plan.root)
    meter = Meter(2 * sum(stream.size for stream in plan.streams), progress)
    try:
        for stream in plan.streams:
            write(disk, stream, files, meter, resume)
    finally:
        files.close()


def _resume(disk: Disk, plan: Plan) -> Resume:
    """What the same plan left, else a record that is on disk before the first file is."""
    resume = load(disk)
    if resume is not None and resume.fingerprint == plan.fingerprint:
        return resume
    abandon(disk)
    fresh = Resume(plan.fingerprint, names=[stream.fresh for stream in plan.streams])
    save(disk, fresh)
    return fresh


def load(disk: Disk, *, copy: bool = False) -> Resume | None:
    """The resume record of a repair in place, or of a `copy`, if it is ours."""
    name, kind = (COPY, "copy") if copy else (RESUME, "resume")
    if not disk.is_file(name) or disk.size(name) > LARGEST_RESUME:
        return None
    with contextlib.suppress(NotOursError, KeyUnusableError, msgspec.DecodeError):
        return msgspec.json.decode(disk.seal.unwrap(kind, disk.read(name, 0, disk.size(name))), type=Resume)
    return None


def abandon(disk: Disk) -> None:
    """Remove the files that were being prepared, as far as a resume record of ours names them, then the record."""
    resume = load(disk)
    for name in resume.names if resume else ():
        if is_helper(name) and disk.is_file(name):
            disk.unlink(name)
            disk.fsync_folder(name)
    if resume:
        discard(disk)


def discard(disk: Disk) -> None:
    """Drop the resume record: its files are prepared and belong to another record now."""
    if disk.is_file(RESUME):
        disk.unlink(RESUME)
        disk.fsync_folder(RESUME)


def write(disk: Disk, stream: Stream, files: Files, meter: Meter, resume: Resume) -> None:
    """One stream: written, durable, and compared with its sources."""
    done = resume.written.get(stream.fresh, 0)
    if done and disk.exists(stream.fresh) and disk.size(stream.fresh) >= done:
        disk.truncate(stream.fresh, done)
    else:
        done = 0
        disk.clear(stream.fresh)
        disk.create(stream.fresh, like=stream.file)
    meter.add(done, f"writing {stream.file}")
    if done < stream.size:
        _write_from(disk, stream, files, meter, resume, done)
    if stream.fresh not in resume.checked:
        _compare(disk, stream, files, meter)
        resume.checked.append(stream.fresh)
        save(disk, resume)
    else:
        meter.add(stream.size, f"checking {stream.file}")


def _write_from(disk: Disk, stream: Stream, files: Files, meter: Meter, resume: Resume, done: int) -> None:
    durable = done
    for source, begin, offset, length in _blocks(stream, done):
        if isinstance(source, bytes):
            disk.write(stream.fresh, offset, source[begin : begin + length])
        elif isinstance(source, Slice):
            _copy(disk, stream.fresh, offset, files.descriptor(source.file), source.begin + begin, length)
        else:
            disk.write(stream.fresh, offset, files.read(source, begin, length))
        meter.add(length, f"writing {stream.file}")
        if offset + length - durable >= DURABLE_EVERY:
            durable = offset + length
            _mark(disk, stream, resume, durable)
    _mark(disk, stream, resume, stream.size)


def _blocks(stream: Stream, done: int) -> Iterator[tuple[Source | bytes, int, int, int]]:
    """(source, begin in it, offset in the file, length) of every block from byte `done` of the file on."""
    offset = 0
    for source in (stream.head, *stream.body):
        size = len(source) if isinstance(source, bytes) else size_of(source)
        begin = max(0, done - offset)
        while begin < size:
            length = min(BLOCK, size - begin)
            yield source, begin, offset + begin, length
            begin += length
        offset += size


def _copy(disk: Disk, name: str, offset: int, descriptor: int, begin: int, length: int) -> None:
    while length:
        copied = disk.copy_in(name, offset, descriptor, begin, length)
        offset, begin, length = offset + copied, begin + copied, length - copied


def _mark(disk: Disk, stream: Stream, resume: Resume, written: int) -> None:
    disk.fsync(stream.fresh)
    resume.written[stream.fresh] = written
    save(disk, resume)


def save(disk: Disk, resume: Resume) -> None:
    """Durable when this returns. Raises KeyUnusableError."""
    name, kind = (COPY, "copy") if resume.copy else (RESUME, "resume")
    blob = disk.seal.wrap(kind, msgspec.json.encode(resume))
    temporary = name + ".tmp"
    disk.clear(temporary)
    disk.create(temporary)
    disk.write(temporary, 0, blob)
    disk.fsync(temporary)
    if not disk.is_file(name):
        disk.clear(name)
    disk.rename(temporary, name)
    disk.fsync_folder(name)


def _compare(disk: Disk, stream: Stream, files: Files, meter: Meter) -> None:
    disk.drop_cache(stream.fresh)
    for source, begin, offset, length in _blocks(stream, 0):
        wanted = source[begin : begin + length] if isinstance(source, bytes) else files.read(source, begin, length)
        if disk.read(stream.fresh, offset, length) != wanted:
            raise NotAsSentError(
                f"{stream.file}: bytes {offset:,}-{offset + length:,} did not arrive as they were sent"
            )
        meter.add(length, f"checking {stream.file}")
    if disk.size(stream.fresh) != stream.size:
        raise NotAsSentError(f"{stream.file}: {disk.size(stream.fresh):,} bytes instead of {stream.size:,}")


# ---------------------------------------------------------------- what the plan was made from
def sources_of(plan: Plan) -> tuple[Seen, ...]:
    """The folder, the files that the streams read and those that the steps change, as they are now."""
    files = {part.file for stream in plan.streams for source in stream.body for part in slices_of(source)}
    for step in plan.steps:
        files.add(step.source if isinstance(step, Move) else names_in(step)[0])
    there = (file for file in sorted(files) if os.path.exists(os.path.join(plan.root, file)))
    return (_folder(plan.root), *(seen(plan.root, file) for file in there))


def _folder(root: str) -> Seen:
    found = os.stat(root)
    return Seen(".", found.st_ino, 0, 0)


def seen(root: str, file: str) -> Seen:
    """A file as it is now. Raises OSError."""
    found = os.stat(os.path.join(root, file))
    return Seen(file, found.st_ino, found.st_size, found.st_mtime_ns)
