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

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_COLLAPSE, _INSERT = 0x08, 0x20  # fallocate(2): FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE
# copy_file_range between file systems, on special ones, or on old kernels
_NOT_IN_KERNEL = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}


class Disk(Protocol):
    """Files of one folder, by relative name. Offsets and sizes in bytes; every method may raise OSError."""

    def exists(self, name: str) -> bool: ...
    def size(self, name: str) -> int: ...
    def same(self, one: str, other: str) -> bool: ...
    def folders(self) -> list[str]: ...
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
    def fsync_folder(self, name: str) -> None: ...
    def drop_cache(self, name: str) -> None: ...


class RealDisk:
    """The folder `root`. Symbolic links are never followed, new files are made exclusively, descriptors are kept."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._open: dict[str, int] = {}

    def close(self) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def path(self, name: str) -> str:
        """Absolute path. Raises PermissionError when a folder on the way is a symbolic link out of the root."""
        path = os.path.join(self.root, name)
        if "/" in name and os.path.realpath(os.path.dirname(path)) != os.path.normpath(os.path.dirname(path)):
            raise PermissionError(f"{name}: a folder on the way is a symbolic link")
        return path

    def descriptor(self, name: str) -> int:
        """A kept descriptor, writable where the file is."""
        if name not in self._open:
            path = self.path(name)
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise PermissionError(f"{name}: not a regular file")
            try:
                self._open[name] = os.open(path, os.O_RDWR | _OLD)
            except PermissionError:
                self._open[name] = os.open(path, os.O_RDONLY | _OLD)
        return self._open[name]

    def _forget(self, name: str) -> None:
        descriptor = self._open.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)

    def exists(self, name: str) -> bool:
        return os.path.lexists(self.path(name))

    def size(self, name: str) -> int:
        return os.fstat(self.descriptor(name)).st_size

    def same(self, one: str, other: str) -> bool:
        return os.path.samestat(os.lstat(self.path(one)), os.lstat(self.path(other)))

    def folders(self) -> list[str]:
        """Every folder below the root by relative name, the root itself ("") first. Links are not followed."""
        found = (os.path.relpath(folder, self.root) for folder, _, _ in os.walk(self.root))
        return ["" if name == "." else name for name in found]

    def names(self, folder: str) -> list[str]:
        return os.listdir(os.path.join(self.root, folder))

    def read(self, name: str, offset: int, length: int) -> bytes:
        pieces = []
        while length and (piece := os.pread(self.descriptor(name), length, offset)):
            pieces.append(piece)
            offset, length = offset + len(piece), length - len(piece)
        return b"".join(pieces)

    def create(self, name: str, like: str | None = None) -> None:
        mode = stat.S_IMODE(os.lstat(self.path(like)).st_mode) if like and self.exists(like) else 0o644
        self._forget(name)
        descriptor = self._open[name] = os.open(self.path(name), _NEW, 0o600)
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
        os.rename(self.path(old), self.path(new))
        self._forget(new)
        if old in self._open:
            self._open[new] = self._open.pop(old)

    def link(self, old: str, new: str) -> None:
        os.link(self.path(old), self.path(new), follow_symlinks=False)

    def unlink(self, name: str) -> None:
        os.unlink(self.path(name))
        self._forget(name)

    def drop_cache(self, name: str) -> None:
        """Let the next read come from the disk, as far as the kernel obliges."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self.descriptor(name), 0, 0, os.POSIX_FADV_DONTNEED)

    def fsync_folder(self, name: str) -> None:
        """Make the folder that holds `name` durable."""
        descriptor = os.open(os.path.dirname(self.path(name)), _FOLDER)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
