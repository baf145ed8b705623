"""The only way to the disk for all that changes a checkpoint, so that a model of power loss can take its place."""

from __future__ import annotations

import contextlib
import ctypes  # here, not where it is used: nothing may be left to load once a repair has begun
import errno
import fcntl
import os
import stat
import sys
from typing import Protocol

from loadproof.records.names import PREFIX
from loadproof.records.seal import Seal, place_of

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO put there in between must not hang
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_COLLAPSE, _INSERT = 0x08, 0x20  # fallocate(2): FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE
# copy_file_range between file systems, on special ones, or on old kernels
_NOT_IN_KERNEL = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}


class Disk(Protocol):
    """Files of one folder, by relative name. Offsets and sizes in bytes; every method may raise OSError.

    `seal` signs records for this folder and knows them again.
    """

    @property
    def seal(self) -> Seal: ...
    def exists(self, name: str) -> bool: ...
    def size(self, name: str) -> int: ...
    def same(self, one: str, other: str) -> bool: ...
    def is_file(self, name: str) -> bool: ...
    def names(self, folder: str) -> list[str]: ...
    def read(self, name: str, offset: int, length: int) -> bytes: ...
    def create(self, name: str, like: str | None = None) -> None: ...
    def write(self, name: str, offset: int, data: bytes) -> None: ...
    def copy_in(self, name: str, offset: int, source: int, begin: int, length: int) -> int: ...
    def truncate(self, name: str, size: int) -> None: ...
    def shift(self, name: str, room: int) -> None: ...
    def fsync(self, name: str) -> None: ...
    def rename(self, old: str, new: str) -> None: ...
    def link(self, old: str, new: str) -> None: ...
    def unlink(self, name: str) -> None: ...
    def clear(self, name: str) -> None: ...
    def fsync_folder(self, name: str) -> None: ...
    def drop_cache(self, name: str) -> None: ...


class RealDisk:
    """The folder `root`. Symbolic links are never followed, new files are made exclusively, descriptors are kept.

    Every name is reached from the descriptor of its folder, so that nobody can put another folder in between.
    """

    def __init__(self, root: str, folder: int | None = None) -> None:
        """`folder`: the descriptor, where it is open already; it is closed with the rest."""
        self.root = os.path.realpath(root) if folder is None else root
        self._folders = {"": os.open(self.root, _FOLDER | os.O_NOFOLLOW) if folder is None else folder}
        self._open: dict[str, int] = {}
        self.seal = Seal(place_of(self.root, self.folder))

    @property
    def folder(self) -> int:
        """The descriptor of the folder itself."""
        return self._folders[""]

    def close(self) -> None:
        for descriptor in (*self._open.values(), *self._folders.values()):
            os.close(descriptor)
        self._open.clear()
        self._folders.clear()

    def __enter__(self) -> RealDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _at(self, name: str) -> tuple[int, str]:
        """Descriptor of the folder that holds `name`, and its last part. Raises PermissionError behind a link."""
        folder, _, last = name.rpartition("/")
        if folder not in self._folders:
            above, part = self._at(folder)
            try:
                self._folders[folder] = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise PermissionError(f"{name}: a folder on the way is a symbolic link") from None
                raise
        return self._folders[folder], last

    def stat(self, name: str) -> os.stat_result:
        """Of the name itself: a link is not followed."""
        folder, last = self._at(name)
        return os.stat(last, dir_fd=folder, follow_symlinks=False)

    def descriptor(self, name: str) -> int:
        """A kept descriptor, writable where the file is. Raises PermissionError for what is not a regular file."""
        if name not in self._open:
            if not stat.S_ISREG(self.stat(name).st_mode):
                raise PermissionError(f"{name}: not a regular file")
            self._open[name] = self._opened(name)
        return self._open[name]

    def _opened(self, name: str) -> int:
        folder, last = self._at(name)
        try:
            descriptor = os.open(last, os.O_RDWR | _OLD, dir_fd=folder)
        except PermissionError:
            descriptor = os.open(last, os.O_RDONLY | _OLD, dir_fd=folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise PermissionError(f"{name}: not a regular file")
        return descriptor

    def _forget(self, name: str) -> None:
        descriptor = self._open.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)

    def exists(self, name: str) -> bool:
        try:
            self.stat(name)
        except FileNotFoundError:
            return False
        return True

    def is_file(self, name: str) -> bool:
        """A regular file, reached without a link."""
        return self.exists(name) and stat.S_ISREG(self.stat(name).st_mode)

    def size(self, name: str) -> int:
        return os.fstat(self.descriptor(name)).st_size

    def same(self, one: str, other: str) -> bool:
        return os.path.samestat(self.stat(one), self.stat(other))

    def names(self, folder: str) -> list[str]:
        return os.listdir(self._at(f"{folder}/x" if folder else "x")[0])

    def read(self, name: str, offset: int, length: int) -> bytes:
        pieces = []
        while length and (piece := os.pread(self.descriptor(name), length, offset)):
            pieces.append(piece)
            offset, length = offset + len(piece), length - len(piece)
        return b"".join(pieces)

    def create(self, name: str, like: str | None = None) -> None:
        mode = stat.S_IMODE(self.stat(like).st_mode) if like and self.exists(like) else 0o644
        self._forget(name)
        folder, last = self._at(name)
        descriptor = self._open[name] = os.open(last, _NEW, 0o600, dir_fd=folder)
        with contextlib.suppress(PermissionError):  # a file system without modes
            os.fchmod(descriptor, mode)

    def write(self, name: str, offset: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self.descriptor(name), view, offset)
            view, offset = view[written:], offset + written

    def copy_in(self, name: str, offset: int, source: int, begin: int, length: int) -> int:
        """Copy from an open descriptor, inside the kernel where it can. Returns the bytes copied, at least 1."""
        return copy_range(source, begin, self.descriptor(name), offset, length)

    def truncate(self, name: str, size: int) -> None:
        os.ftruncate(self.descriptor(name), size)

    def shift(self, name: str, room: int) -> None:
        """Insert `room` zero bytes at the front, or take them out where negative. Raises OSError where it cannot."""
        shift(self.descriptor(name), room)

    def fsync(self, name: str) -> None:
        full = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: fsync alone does not reach the platter
        if full is None:
            os.fsync(self.descriptor(name))
        else:
            fcntl.fcntl(self.descriptor(name), full)

    def rename(self, old: str, new: str) -> None:
        (old_folder, old_last), (new_folder, new_last) = self._at(old), self._at(new)
        os.rename(old_last, new_last, src_dir_fd=old_folder, dst_dir_fd=new_folder)
        self._forget(new)
        if old in self._open:
            self._open[new] = self._open.pop(old)

    def link(self, old: str, new: str) -> None:
        (old_folder, old_last), (new_folder, new_last) = self._at(old), self._at(new)
        os.link(old_last, new_last, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)

    def unlink(self, name: str) -> None:
        folder, last = self._at(name)
        os.unlink(last, dir_fd=folder)
        self._forget(name)

    def clear(self, name: str) -> None:
        """Make the name of a helper file free. A folder that somebody put there is renamed, whatever it holds."""
        if not self.exists(name):
            return
        if stat.S_ISDIR(self.stat(name).st_mode):
            folder = name.rpartition("/")[0]
            prefix, number = f"{folder}/" if folder else "", 1
            while self.exists(aside := f"{prefix}{PREFIX}not-ours-{number}"):
                number += 1
            self.rename(name, aside)
        else:
            self.unlink(name)

    # ------------------------------------------------------------ for a copy that grows
    def exists_below(self, name: str) -> bool:
        """`exists`, also where a folder on the way is missing."""
        try:
            return self.exists(name)
        except FileNotFoundError:
            return False

    def make_folders(self, name: str) -> None:
        """The folders on the way to `name`."""
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            above, part = self._at("/".join(parts[:depth]))
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=above)

    def remove_folder(self, name: str) -> None:
        above, part = self._at(name)
        os.rmdir(part, dir_fd=above)
        if name in self._folders:
            os.close(self._folders.pop(name))

    def link_in(self, path: str, name: str) -> None:
        """Another name, here, for the file at the absolute `path`."""
        folder, last = self._at(name)
        os.link(path, last, dst_dir_fd=folder, follow_symlinks=False)

    def make_link(self, target: str, name: str) -> None:
        """A symbolic link under a name that is free."""
        folder, last = self._at(name)
        os.symlink(target, last, dir_fd=folder)

    def target_of(self, name: str) -> str | None:
        """Where a symbolic link leads, None for anything else."""
        folder, last = self._at(name)
        return os.readlink(last, dir_fd=folder) if stat.S_ISLNK(self.stat(name).st_mode) else None

    def drop_cache(self, name: str) -> None:
        """Let the next read come from the disk, as far as the kernel obliges."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self.descriptor(name), 0, 0, os.POSIX_FADV_DONTNEED)

    def fsync_folder(self, name: str) -> None:
        """Make the folder that holds `name` durable."""
        os.fsync(self._at(name)[0])


def shift(descriptor: int, room: int) -> None:
    """Insert or take out whole blocks at the front of a file (Linux: ext4, xfs). Raises OSError."""
    if not sys.platform.startswith("linux"):
        raise OSError(errno.EOPNOTSUPP, "this system cannot insert room into a file")
    fallocate = ctypes.CDLL(None, use_errno=True).fallocate64
    fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    if fallocate(descriptor, _INSERT if room > 0 else _COLLAPSE, 0, abs(room)):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def copy_range(source: int, begin: int, target: int, offset: int, length: int) -> int:
    """Up to `length` bytes from one descriptor to another. Raises OSError when the source has ended."""
    if hasattr(os, "copy_file_range"):
        try:
            copied = os.copy_file_range(source, target, length, begin, offset)
            if copied:
                return copied
        except OSError as error:
            if error.errno not in _NOT_IN_KERNEL:
                raise
    block = os.pread(source, min(length, 8 << 20), begin)
    if not block:
        raise OSError(errno.EIO, f"the source ends at byte {begin:,}")
    return os.pwrite(target, block, offset)
