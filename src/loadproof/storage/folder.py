"""A folder of files, opened once; every file is reached from its descriptor, never through a link that leaves it.

Links are followed in two shapes only: to a file below the same folder, and ``snapshots/<rev>/f -> ../../blobs/x`` of
the hub cache. FIFOs, devices, sockets and folders are reported at once: nothing here can block.
"""

from __future__ import annotations

import errno
import os
import stat

from loadproof.storage.guarded import GuardedFile, UnreadableError
from loadproof.storage.paths import is_cache_link, why_unsafe

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_ENTRIES = 100_000
_SPECIAL = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFSOCK: "socket",
}
_REFUSALS = {
    errno.ENOENT: ("absent", "does not exist"),
    errno.ENOTDIR: ("absent", "does not exist"),
    errno.EACCES: ("permission", "cannot be opened: permission denied"),
    errno.EPERM: ("permission", "cannot be opened: operation not permitted"),
    errno.ELOOP: ("link-loop", "is a link that leads to a link"),
    errno.ENAMETOOLONG: ("unsafe-path", "has a name that is too long for the file system"),
    errno.ENXIO: ("device", "is a socket or a device without a driver"),
}


class Folder:
    """An open folder; a context manager. `root` is its absolute path without links."""

    __slots__ = ("_fd", "root", "single_file")

    def __init__(self, root: str, fd: int, single_file: str | None) -> None:
        self.root = root
        self.single_file = single_file
        self._fd = fd

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def list(self) -> tuple[list[str], bool]:
        """Names at the top level, sorted, and whether the folder held too many to list them all."""
        names: list[str] = []
        with os.scandir(self._fd) as entries:
            for entry in entries:
                if len(names) == _MOST_ENTRIES:
                    return sorted(names), False
                names.append(entry.name)
        return sorted(names), True

    def open(self, file: str) -> GuardedFile:
        """A regular file below the folder. Raises `UnreadableError`."""
        if why_unsafe(file) is not None:
            raise UnreadableError("unsafe-path", "is not a path inside the folder")
        try:
            return self._open_plain(file)
        except OSError as error:
            if error.errno == errno.ELOOP:
                return self._open_link(file)
            raise _refusal(error) from error

    def read(self, file: str, begin: int, length: int) -> bytes:
        """A range of one file, shorter only where the file ends. Raises `UnreadableError`."""
        with self.open(file) as opened:
            return opened.read(begin, length)

    def stat(self, file: str) -> os.stat_result:
        """The status of the name itself (a link is not followed). Raises `UnreadableError`."""
        try:
            return os.stat(file, dir_fd=self._fd, follow_symlinks=False)
        except (OSError, ValueError) as error:
            raise _refusal(error) from error

    def _open_plain(self, file: str) -> GuardedFile:
        folders = file.split("/")[:-1]
        here = self._fd
        try:
            for name in folders:
                inner = _open_inner(name, here)
                _close_unless(here, self._fd)
                here = inner
            return _guard(os.open(file.rpartition("/")[2], _FILE_FLAGS, dir_fd=here))
        finally:
            _close_unless(here, self._fd)

    def _open_link(self, file: str) -> GuardedFile:
        target = os.readlink(file, dir_fd=self._fd)
        inside = os.path.normpath(os.path.join(os.path.dirname(file), target))
        try:
            if "/" not in file and is_cache_link(self.root, target):
                return _guard(os.open(target, _FILE_FLAGS, dir_fd=self._fd))
            if why_unsafe(inside) is None:
                return self._open_plain(inside)
        except OSError as error:
            raise _link_refusal(error, target) from error
        raise UnreadableError("link-outside", f"is a link that leaves the folder ({target}); it is not followed")


def open_folder(location: str) -> Folder:
    """The folder at `location`, or the folder around it when it is a file (`single_file` is then its name).

    Raises FileNotFoundError when there is nothing, NotADirectoryError when it is neither, PermissionError.
    The location itself may be a link: the user named it.
    """
    path = os.path.realpath(location)
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        return Folder(path, os.open(path, _FOLDER_FLAGS), None)
    if not stat.S_ISREG(status.st_mode):
        raise NotADirectoryError(f"neither a folder nor a regular file: {location}")
    root, name = _around(location, path)
    return Folder(root, os.open(root, _FOLDER_FLAGS), name)


def _around(location: str, path: str) -> tuple[str, str]:
    """Folder and name of a file; a link of the hub cache keeps its own name, since a blob's name says nothing."""
    root, name = os.path.split(os.path.join(os.path.realpath(os.path.dirname(location)), os.path.basename(location)))
    if os.path.islink(location) and not is_cache_link(root, os.readlink(location)):
        return os.path.split(path)
    return root, name


def _open_inner(name: str, parent: int) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise UnreadableError("link-outside", "lies behind a linked folder, which is not followed") from None
        raise


def _guard(fd: int) -> GuardedFile:
    try:
        status = os.fstat(fd)
        if kind := _SPECIAL.get(stat.S_IFMT(status.st_mode)):
            raise UnreadableError(kind, f"is a {kind}, not a regular file")
        return GuardedFile(fd, status)
    except BaseException:
        os.close(fd)
        raise


def _close_unless(fd: int, kept: int) -> None:
    if fd != kept:
        os.close(fd)


def _refusal(error: OSError | ValueError) -> UnreadableError:
    if isinstance(error, UnreadableError):
        return error
    number = error.errno if isinstance(error, OSError) else None
    kind, reason = _REFUSALS.get(number or 0, ("io-error", f"cannot be opened: {getattr(error, 'strerror', error)}"))
    return UnreadableError(kind, reason)


def _link_refusal(error: OSError, target: str) -> UnreadableError:
    refusal = _refusal(error)
    if refusal.kind == "absent":
        return UnreadableError("dangling-link", f"is a link to {target}, which does not exist")
    return refusal
