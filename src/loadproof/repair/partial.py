"""The folder in which a copy grows, NAME.loadproof-partial: it is gone on with, or emptied, only where we left it.

What lies there counts as ours when a resume record of this user for this very folder names it. Everything else (a
link, a folder of the user, files of another user) is somebody's, and stops the copy.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping

from loadproof.records.names import COPY
from loadproof.repair.disk import RealDisk
from loadproof.repair.in_place import RepairError, lock
from loadproof.repair.plan import Refusal
from loadproof.repair.stream import Resume, load, save

PARTIAL = ".loadproof-partial"
WAY_OUT = "move it away, or choose another folder"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OWN = {COPY, COPY + ".tmp"}


class Partial:
    """The open folder `out` + PARTIAL; a context manager that keeps a second loadproof out. `disk` reaches its files."""

    def __init__(self, out: str) -> None:
        self.out, self.path = out, out + PARTIAL
        self._above = os.open(os.path.dirname(out), _FOLDER)
        try:
            self.disk = RealDisk(self.path, self._folder())
        except BaseException:
            os.close(self._above)
            raise

    def __enter__(self) -> Partial:
        lock(self.disk.folder, self.path)
        return self

    def __exit__(self, *_: object) -> None:
        self.disk.close()
        os.close(self._above)

    def _folder(self) -> int:
        """Made for this user alone, or found and judged; never reached through a link."""
        name = os.path.basename(self.path)
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=self._above)
        try:
            descriptor = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self._above)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise _refused(f"{self.path} is there and is not a folder that loadproof made") from None
            raise
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
            return descriptor
        os.close(descriptor)
        raise _refused(f"{self.path} belongs to another user, or others may write to it")

    def claim(self, fingerprint: str, names: Iterable[str], links: Mapping[str, str]) -> Resume:
        """The resume record under which `names` and `links` may be made. What the same copy left is gone on with."""
        resume = load(self.disk, copy=True)
        self._judge(resume)
        for link in resume.links if resume else ():
            if self.disk.exists_below(link):
                self.disk.unlink(link)  # made last, again
        if resume is not None and resume.fingerprint == fingerprint:
            return resume
        if resume is not None:
            self._empty(resume)
        fresh = Resume(fingerprint, names=sorted(names), links=dict(links), copy=True)
        save(self.disk, fresh)
        return fresh

    def _judge(self, resume: Resume | None) -> None:
        links = resume.links if resume else {}
        named = {*(resume.names if resume else ()), *_OWN}
        for name, is_file in self._entries(_above({*named, *links})):
            if not (is_file and name in named) and not self._leads(name, links.get(name)):
                raise _refused(f"{self.path} is there and holds {name}, which loadproof did not put there")

    def _leads(self, name: str, target: str | None) -> bool:
        return target is not None and self.disk.target_of(name) == target

    def _entries(self, folders: set[str], folder: str = "") -> Iterator[tuple[str, bool]]:
        """Every name below, and whether it is a regular file; only folders that the record names are looked into."""
        for entry in sorted(self.disk.names(folder)):
            name = f"{folder}/{entry}" if folder else entry
            mode = self.disk.stat(name).st_mode
            if stat.S_ISDIR(mode) and name in folders:
                yield from self._entries(folders, name)
            else:
                yield name, stat.S_ISREG(mode)

    def _empty(self, resume: Resume) -> None:
        """Of another copy: its record goes last."""
        for name in resume.names:
            if self.disk.exists_below(name):
                self.disk.unlink(name)
        for folder in sorted(_above({*resume.names, *resume.links}), key=len, reverse=True):
            if self.disk.exists_below(folder):
                self.disk.remove_folder(folder)

    def publish(self, mode: int) -> None:
        """Give the folder its name, at once; an empty folder of that name gives way. Raises OSError, RepairError."""
        name = os.path.basename(self.path)
        there = os.stat(name, dir_fd=self._above, follow_symlinks=False)
        if not os.path.samestat(there, os.fstat(self.disk.folder)):
            raise _refused(f"{self.path} was replaced while the copy was made")
        os.fchmod(self.disk.folder, stat.S_IMODE(mode) | stat.S_IRWXU)
        try:
            os.rename(name, os.path.basename(self.out), src_dir_fd=self._above, dst_dir_fd=self._above)
        except (NotADirectoryError, FileExistsError) as error:
            raise RepairError(
                Refusal(f"{self.out} is there already ({error.strerror})", "choose a new folder")
            ) from None
        os.fsync(self._above)
        self.disk.unlink(COPY)  # last: until then what lies here is known to be ours
        self.disk.fsync_folder(COPY)


def _above(names: Iterable[str]) -> set[str]:
    """Every folder on the way to these files."""
    parts = (name.split("/")[:-1] for name in names)
    return {"/".join(folders[:depth]) for folders in parts for depth in range(1, len(folders) + 1)}


def _refused(reason: str) -> RepairError:
    return RepairError(Refusal(reason, WAY_OUT))
