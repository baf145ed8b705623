"""A repaired copy of the checkpoint in a new folder, which appears only when it is complete.

Untouched weight files are cloned (reflink), else hard-linked, else copied; which is said in the notes.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator

import msgspec

from loadproof.records import KeyUnusableError
from loadproof.records.names import PREFIX
from loadproof.repair.disk import RealDisk, copy_range
from loadproof.repair.in_place import STALE, Applied, RepairError, RepairInterruptedError
from loadproof.repair.mounts import file_system, free_bytes
from loadproof.repair.partial import PARTIAL, Partial
from loadproof.repair.plan import Plan, Refusal, Seen, Stream
from loadproof.repair.sources import Files, Slice
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Swap, beside
from loadproof.repair.stream import Meter, Progress, Resume, seen, sources_of, write
from loadproof.storage.places import stays

LINK_FROM = 1 << 20  # bytes: smaller files are copied, people edit them
_FICLONE = 0x40049409
_SKIPPED = {".git", ".cache"}


def apply_to_copy(plan: Plan, out: str, *, progress: Progress | None = None) -> Applied:
    """Write the repaired checkpoint to the new folder `out`. After a RepairInterruptedError, call it again."""
    if plan.refusals:
        raise RepairError(*plan.refusals)
    out = os.path.abspath(out)
    _refuse(plan, out)
    try:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        with Partial(out) as partial:
            copy = _Copy(plan, partial, progress)
            copy.run()
            partial.publish(os.stat(plan.root).st_mode)
    except KeyUnusableError as error:
        raise RepairError(Refusal(str(error), "no copy was made")) from None
    except OSError as error:
        way_out = f"the same command goes on with it; or remove {out}{PARTIAL}"
        raise RepairInterruptedError(Refusal(f"interrupted: {error}", way_out)) from error
    return Applied(out, tuple(change.file for change in plan.changes), copy.written, notes=copy.notes())


def _refuse(plan: Plan, out: str) -> None:
    if sources_of(plan) != plan.sources:
        raise RepairError(STALE)
    root = os.path.realpath(plan.root)
    real = os.path.realpath(out)
    if real == root or real.startswith(root + os.sep) or root.startswith(real + os.sep):
        raise RepairError(Refusal(f"{out} and the checkpoint lie inside one another", "choose another folder"))
    is_empty = os.path.isdir(out) and not os.path.islink(out) and not os.listdir(out)
    if os.path.lexists(out) and not is_empty:
        raise RepairError(Refusal(f"{out} is there already", "choose a new folder"))


class _Copy:
    """One run over the files of the checkpoint, into the folder `partial`."""

    def __init__(self, plan: Plan, partial: Partial, progress: Progress | None) -> None:
        self.plan, self.partial = plan, partial
        self.disk: RealDisk = partial.disk
        self.patches = {step.file: step for step in plan.steps if isinstance(step, Patch)}
        self.texts = {step.file: step for step in plan.steps if isinstance(step, Rewrite)}
        self.cuts = {step.file: step.size for step in plan.steps if isinstance(step, Cut)}
        self.moves = {step.source: step.target for step in plan.steps if isinstance(step, Move)}
        grown = [_as_stream(step) for step in plan.steps if isinstance(step, Grow)]
        self.streams = {stream.file: stream for stream in (*plan.streams, *grown)}
        self.swapped = {step.file for step in plan.steps if isinstance(step, Swap)}
        self.counts: Counter[str] = Counter()
        self.skipped: list[str] = []
        self.links: list[str] = []  # links out of the checkpoint that nothing was read through
        self.written = 0
        self.meter = Meter(1, progress)

    def run(self) -> None:
        files = list(self._walk())
        self._check_space(files)
        self.meter.total = sum(size for _, size in files) + 2 * sum(stream.size for stream in self.streams.values())
        states = self._states(files)
        fingerprint = self.plan.fingerprint + hashlib.sha256(msgspec.json.encode(states)).hexdigest()
        links = {file: os.path.realpath(os.path.join(self.plan.root, file)) for file in self.links}
        resume = self.partial.claim(fingerprint, self._names(files), links)
        for file, size in files:
            if file not in self.streams:
                self._file(file, size)
            self.meter.add(size, f"copying {file}")
        for stream in self.streams.values():
            self._stream(stream, resume)
        for file, text in self.texts.items():
            if text.old is None and text.new is not None:
                self._text(file, text.new)
        if self._states(files) != states:
            raise OSError("the checkpoint changed while it was copied")
        for file, target in links.items():  # last: until then every name in the copy is a regular file
            self._link(file, target)
        for folder in sorted({os.path.dirname(file) for file in (*(file for file, _ in files), *self.links)}):
            self.disk.fsync_folder(os.path.join(folder, "x"))
        self.disk.fsync_folder("x")

    def _states(self, files: list[tuple[str, int]]) -> list[Seen]:
        return [seen(self.plan.root, file) for file, _ in files]

    def _names(self, files: list[tuple[str, int]]) -> set[str]:
        """Every name that is used in the copy, so that what is left of it can be distinguished from what others put there."""
        names = {name for file, _ in files for name in (file, self.moves.get(file, file))}
        names |= {*self.texts, *self.streams}
        return names | {beside(name, "tmp") for name in names} | {stream.fresh for stream in self.streams.values()}

    def notes(self) -> tuple[str, ...]:
        said = [f"{count:,} {'file' if count == 1 else 'files'} {how}" for how, count in sorted(self.counts.items())]
        if self.counts["hard-linked"]:
            said.append(
                "hard-linked files share their bytes with the original: a later repair in place is refused there"
            )
        return (*said, *(f"left out: {what}" for what in self.skipped))

    # ------------------------------------------------------------ what there is
    def _walk(self) -> Iterator[tuple[str, int]]:
        root = self.plan.root
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in sorted(folders) if self._is_entered(folder, name)]
            for name in sorted(names):
                path = os.path.join(folder, name)
                file = os.path.relpath(path, root)
                if not name.startswith(PREFIX) and self._is_ours(file, path):
                    yield file, os.stat(path).st_size
        for file in self.plan.linked:
            if os.path.realpath(os.path.dirname(os.path.join(root, file))) != os.path.dirname(os.path.join(root, file)):
                yield file, os.stat(os.path.join(root, file)).st_size  # behind a linked folder

    def _is_entered(self, above: str, name: str) -> bool:
        path = os.path.join(above, name)
        why = "a link to a folder" if os.path.islink(path) else "not part of a checkpoint" if name in _SKIPPED else ""
        name_here = os.path.relpath(path, self.plan.root)
        if why and not any(file.startswith(name_here + "/") for file in self.plan.linked):
            self.skipped.append(f"{name_here} ({why})")
        return not why and not name.startswith(PREFIX)

    def _is_ours(self, file: str, path: str) -> bool:
        if file in self.plan.linked:
            return True
        if os.path.islink(path) and not stays(path, self.plan.root):
            if not self.plan.follow_links:
                refusal = Refusal(f"{file}: a symbolic link out of the checkpoint", "copy it by hand first", file)
                raise RepairError(refusal)
            self.links.append(file)
            return False
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.stat(path).st_mode):
                return True
        self.skipped.append(f"{file} (not a regular file)")
        return False

    def _check_space(self, files: list[tuple[str, int]]) -> None:
        linked = os.fstat(self.disk.folder).st_dev == os.stat(self.plan.root).st_dev
        whole = {*self.patches, *self.cuts}
        needed = sum(stream.size for stream in self.streams.values()) + (1 << 20)
        needed += sum(s for f, s in files if f not in self.streams and (f in whole or not linked or s < LINK_FROM))
        free = free_bytes(self.disk.folder)
        if needed > free and not _can_clone(self.plan.root, self.partial.path):
            text = f"up to {needed:,} bytes are needed there, {free:,} are free"
            raise RepairError(Refusal(text, "choose a folder on another disk"))

    # ------------------------------------------------------------ one file
    def _file(self, file: str, size: int) -> None:
        target = self.moves.get(file, file)
        text = self.texts.get(file)
        if text is not None:
            if text.new is not None:
                self._text(target, text.new)
        elif file in self.patches or file in self.cuts:
            self._edited(file)
        elif not self.disk.exists_below(target):
            self._same(file, target, size)

    def _link(self, file: str, target: str) -> None:
        """What no check has read is not copied: the copy holds a link to the same place."""
        self.disk.make_folders(file)
        self.disk.make_link(target, file)
        self.counts["still a link out of the folder"] += 1

    def _text(self, file: str, content: bytes) -> None:
        temporary = self._fresh(file, like=file)
        self.disk.write(temporary, 0, content)
        self._done(temporary, file, len(content))
        self.counts["edited"] += 1

    def _edited(self, file: str) -> None:
        if self.disk.exists_below(file):
            return
        temporary = self._fresh(file, like=file)
        size = self.cuts.get(file, os.stat(os.path.join(self.plan.root, file)).st_size)
        how = self._bytes(file, temporary, size)
        patch = self.patches.get(file)
        if patch is not None:
            self.disk.write(temporary, 8, patch.new)
        self.disk.truncate(temporary, size)
        self._done(temporary, file, size if how == "copied" else len(patch.new) if patch else 0)
        self.counts[f"{how} and edited"] += 1

    def _same(self, file: str, target: str, size: int) -> None:
        temporary = self._fresh(target, like=file)
        path = os.path.realpath(os.path.join(self.plan.root, file))
        if size >= LINK_FROM and not self._clone(path, temporary):
            with contextlib.suppress(OSError):
                self.disk.unlink(temporary)
                self.disk.link_in(path, temporary)
                self.disk.rename(temporary, target)
                self.counts["hard-linked"] += 1
                return
            self.disk.create(temporary, like=None)
        how = self._bytes(file, temporary, size)
        self._done(temporary, target, size if how == "copied" else 0)
        self.counts[how] += 1

    def _stream(self, stream: Stream, resume: Resume) -> None:
        if self.disk.exists_below(stream.file):
            self.meter.add(2 * stream.size, f"writing {stream.file}")
            return
        self.disk.make_folders(stream.file)
        files = Files(self.plan.root)
        try:
            write(self.disk, stream, files, self.meter, resume)
        finally:
            files.close()
        self._done(stream.fresh, stream.file, stream.size)
        self.counts["rewritten"] += 1

    # ------------------------------------------------------------ bytes
    def _fresh(self, file: str, like: str) -> str:
        self.disk.make_folders(file)
        temporary = beside(file, "tmp")
        self.disk.clear(temporary)
        self.disk.create(temporary)
        with contextlib.suppress(OSError):
            mode = stat.S_IMODE(os.stat(os.path.join(self.plan.root, like)).st_mode)
            os.fchmod(self.disk.descriptor(temporary), mode | stat.S_IWUSR)
        return temporary

    def _clone(self, path: str, temporary: str) -> bool:
        source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(self.disk.descriptor(temporary), _FICLONE, source)
            return True
        except OSError:
            return False
        finally:
            os.close(source)

    def _bytes(self, file: str, temporary: str, size: int) -> str:
        """Give a fresh file the first `size` bytes of a file of the checkpoint: "cloned" or "copied" (and compared)."""
        path = os.path.realpath(os.path.join(self.plan.root, file))
        if size and self._clone(path, temporary):
            return "cloned"
        source, target = os.open(path, os.O_RDONLY | os.O_CLOEXEC), self.disk.descriptor(temporary)
        try:
            done = 0
            while done < size:
                done += copy_range(source, done, target, done, min(size - done, 64 << 20))
            self.disk.fsync(temporary)
            self.disk.drop_cache(temporary)
            for at in range(0, size, 8 << 20):
                if os.pread(source, min(8 << 20, size - at), at) != os.pread(target, min(8 << 20, size - at), at):
                    raise OSError(f"{file}: bytes at {at:,} did not arrive as they were sent")
        finally:
            os.close(source)
        return "copied"

    def _done(self, temporary: str, file: str, written: int) -> None:
        self.disk.fsync(temporary)
        self.disk.rename(temporary, file)
        self.written += written


def _as_stream(step: Grow) -> Stream:
    body = (Slice(step.file, len(step.old), step.size),)
    return Stream(step.file, beside(step.file, "fresh"), step.new, body)


def _can_clone(one: str, other: str) -> bool:
    return file_system(one) in {"btrfs", "xfs", "bcachefs"} and os.stat(one).st_dev == os.stat(other).st_dev
