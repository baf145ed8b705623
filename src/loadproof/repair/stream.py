"""Writing new data files from sources: bounded memory, checked against the sources, resumable.

A file is prepared under a helper name, so nobody sees it before it is complete. Now and then what is written is made
durable and a resume record says so; the same plan goes on from there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

import msgspec

from loadproof.repair.disk import Disk
from loadproof.repair.plan import Plan, Seen, Stream
from loadproof.repair.sources import BLOCK, Files, Slice, Source, size_of, slices_of
from loadproof.repair.steps import PREFIX

RESUME = PREFIX + "resume"
DURABLE_EVERY = 512 << 20  # bytes between two resume records
Progress = Callable[[int, int, str], None]  # bytes done, bytes in all, what is being done


class Resume(msgspec.Struct):
    """`written` maps a helper name to the bytes of it that are on disk for certain."""

    fingerprint: str
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
    files = Files(plan.root)
    meter = Meter(2 * sum(stream.size for stream in plan.streams), progress)
    try:
        resume = _resume(disk, plan)
        for stream in plan.streams:
            write(disk, stream, files, meter, resume)
    finally:
        files.close()


def discard(disk: Disk) -> None:
    """Drop the resume record once every stream is prepared."""
    if disk.exists(RESUME):
        disk.unlink(RESUME)


def write(disk: Disk, stream: Stream, files: Files, meter: Meter, resume: Resume) -> None:
    """One stream: written, durable, and compared with its sources."""
    done = resume.written.get(stream.fresh, 0)
    if done and disk.exists(stream.fresh) and disk.size(stream.fresh) >= done:
        disk.truncate(stream.fresh, done)
    else:
        done = 0
        if disk.exists(stream.fresh):
            disk.unlink(stream.fresh)
        disk.create(stream.fresh, like=stream.file)
    meter.add(done, f"writing {stream.file}")
    if done < stream.size:
        _write_from(disk, stream, files, meter, resume, done)
    if stream.fresh not in resume.checked:
        _compare(disk, stream, files, meter)
        resume.checked.append(stream.fresh)
        _save(disk, resume)
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
    _save(disk, resume)


def _save(disk: Disk, resume: Resume) -> None:
    temporary = RESUME + ".tmp"
    if disk.exists(temporary):
        disk.unlink(temporary)
    disk.create(temporary)
    disk.write(temporary, 0, msgspec.json.encode(resume))
    disk.fsync(temporary)
    disk.rename(temporary, RESUME)
    disk.fsync_folder(RESUME)


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


# ---------------------------------------------------------------- going on after an interruption
def _resume(disk: Disk, plan: Plan) -> Resume:
    fingerprint = plan.fingerprint
    if disk.exists(RESUME):
        with contextlib.suppress(msgspec.DecodeError):
            found = msgspec.json.decode(disk.read(RESUME, 0, disk.size(RESUME)), type=Resume)
            if found.fingerprint == fingerprint:
                return found
    return Resume(fingerprint)


def sources_of(plan: Plan) -> tuple[Seen, ...]:
    """The files that the streams read, as they are now."""
    files = {part.file for stream in plan.streams for source in stream.body for part in slices_of(source)}
    return tuple(seen(plan.root, file) for file in sorted(files))


def seen(root: str, file: str) -> Seen:
    """A file as it is now. Raises OSError."""
    found = os.stat(os.path.join(root, file))
    return Seen(file, found.st_ino, found.st_size, found.st_mtime_ns)
