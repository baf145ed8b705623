"""A folder of files, opened once. Every file is reached from its descriptor, and none but regular files is opened.

Links are followed to regular files, wherever they lie, as every loading library does. With ``follow_links=False`` they
are followed in two shapes only: to a file of the same folder, and from a snapshot of the hub cache to its blobs.
FIFOs, devices, sockets and folders are reported at once: nothing here can block.
"""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice

from msgspec.structs import replace

from loadproof.storage.base import Entry, UnreadableError
from loadproof.storage.guarded import GuardedFile
from loadproof.storage.paths import why_unsafe
from loadproof.storage.places import is_inside, is_of_the_kernel, is_own_blob

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_ENTRIES = 100_000
_MOST_KEPT = 128  # files that stay open; systems allow a process 256 or more
_BY_THE_SYSTEM = frozenset({"odd-path", "parent-folder", "absolute-path"})  # spellings that may yet lead inside
_WORDS = {"fifo": "named pipe (FIFO)"}
_SPECIAL = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFSOCK: "socket",
}
_REFUSALS = {
    errno.ENOENT: ("absent", "does not exist"),
    errno.ENOTDIR: ("not-a-folder", "lies behind a file, where a folder should be"),
    errno.EACCES: ("permission", "cannot be opened: permission denied"),
    errno.EPERM: ("permission", "cannot be opened: operation not permitted"),
    errno.ELOOP: ("link-loop", "is a link that leads to itself"),
    errno.ENAMETOOLONG: ("unsafe-path", "has a name that is too long for the file system"),
    errno.ENXIO: ("device", "is a socket or a device without a driver"),
}


class Folder:
    """A local folder as a `Storage`: open while somebody is inside. `root` is its absolute path without links."""

    __slots__ = ("_fd", "_kept", "_users", "follow_links", "root", "single_file")

    def __init__(self, root: str, single_file: str | None = None, follow_links: bool = True) -> None:
        self.root = root
        self.single_file = single_file
        self.follow_links = follow_links
        self._fd = -1
        self._kept: dict[str, GuardedFile] = {}
        self._users = 0

    @property
    def place(self) -> str:
        return self.root

    @property
    def folder(self) -> str | None:
        return self.root

    def __enter__(self) -> Folder:
        if not self._users:
            self._fd = os.open(self.root, _FOLDER_FLAGS)
        self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._users -= 1
        if not self._users:
            for file in self._kept.values():
                file.close()
            self._kept.clear()
            os.close(self._fd)
            self._fd = -1

    def list(self) -> tuple[tuple[Entry, ...], bool]:
        """What lies at the top level, sorted by name, and whether that is all: of too many only the first are listed."""
        found: list[Entry] = []
        with os.scandir(self._fd) as entries:
            for entry in entries:
                if len(found) == _MOST_ENTRIES:
                    return tuple(sorted(found, key=_name)), False
                found.append(self.look(entry.name))
        return tuple(sorted(found, key=_name)), True

    def below(self, name: str) -> tuple[Entry, ...]:
        """What lies in a folder inside; nothing of one that cannot be opened, or behind a link that is not followed."""
        if why_unsafe(name) is not None:
            return ()
        path = os.path.join(self.root, name)
        if not self.follow_links and not is_inside(os.path.realpath(path), self.root):
            return ()
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.name for entry in islice(entries, _MOST_ENTRIES))
        except OSError:
            return ()
        return tuple(replace(self.look(f"{name}/{inner}"), name=inner) for inner in names)

    def look(self, name: str) -> Entry:
        """The state of any name; of a link that leads to nothing its own."""
        try:
            status = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode) and os.path.exists(path := os.path.join(self.root, name)):
                status = os.stat(path)
        except (OSError, ValueError) as error:
            why = _refusal(error)
            return Entry(name, state="absent" if why.kind == "absent" else "refused", why=why)
        if stat.S_ISDIR(status.st_mode):
            return Entry(name, "folder")
        return Entry(name, "file" if stat.S_ISREG(status.st_mode) else "special", status.st_size)

    def open(self, name: str) -> GuardedFile:
        """A regular file by its name in the folder, opened once. Raises `UnreadableError`."""
        if (known := self._kept.get(name)) is not None:
            return known
        opened = self._open(name)
        if len(self._kept) < _MOST_KEPT:
            opened.kept = True
            self._kept[name] = opened
        return opened

    def _open(self, file: str) -> GuardedFile:
        kind = why_unsafe(file)
        if kind is not None and kind not in _BY_THE_SYSTEM:
            raise UnreadableError("unsafe-path", "is not a path inside the folder")
        try:
            if kind is None and (opened := self._open_plain(file)) is not None:
                return opened
            return self._open_elsewhere(file, is_spelled_outside=kind is not None)
        except OSError as error:
            raise _refusal(error) from error

    def resolve(self, path: str) -> str | None:
        """The plain name of what a path with ``..`` or from ``/`` leads to; None where that is not in the folder."""
        above, name = os.path.split(os.path.join(self.root, path))
        try:
            place = os.path.join(os.path.realpath(above, strict=True), name)
        except (OSError, ValueError):
            return None
        return (
            os.path.relpath(place, self.root) if name not in ("", ".", "..") and is_inside(place, self.root) else None
        )

    def _open_plain(self, file: str) -> GuardedFile | None:
        """The file without a link on the way; None where there is one."""
        *folders, last = file.split("/")
        here = self._fd
        try:
            for name in folders:
                inner = _open_inner(name, here)
                if inner is None:
                    return None
                _close_unless(here, self._fd)
                here = inner
            return _guard(os.open(last, _FILE_FLAGS, dir_fd=here))
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a socket
                return None
            raise
        finally:
            _close_unless(here, self._fd)

    def _open_elsewhere(self, file: str, *, is_spelled_outside: bool) -> GuardedFile:
        """A file behind a link, or under a path that only the system can resolve. Its status is asked before it is opened."""
        path = os.path.join(self.root, file)
        real = os.path.realpath(path)
        is_ours = is_inside(real, self.root) or (not is_spelled_outside and is_own_blob(real, self.root))
        if is_spelled_outside and not is_ours:
            raise UnreadableError("unsafe-path", "is not a path inside the folder")
        status = _status(path)
        if not is_ours and not self.follow_links:
            raise UnreadableError("link-outside", f"is a link that leaves the folder ({real}); it is not followed")
        if is_of_the_kernel(real):
            raise UnreadableError("link-outside", f"is a link to a file of the kernel ({real}); it is not followed")
        opened = _guard(os.open(real, _FILE_FLAGS), None if is_ours else real)
        if not opened.is_the_file_of(status):
            opened.close()
            raise UnreadableError("io-error", "was replaced while it was opened")
        return opened


def open_folder(location: str, *, follow_links: bool = True) -> Folder:
    """The folder at `location`, or the folder around it when it is a file (`single_file` is then its name).

    `follow_links` says whether links inside may lead out of it.
    Raises FileNotFoundError when there is nothing, NotADirectoryError when it is neither, PermissionError.
    The location itself may be a link: the user named it.
    """
    path = os.path.realpath(location)
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        return Folder(path, None, follow_links)
    if not stat.S_ISREG(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "neither a folder nor a regular file", location)
    root, name = _around(location, path)
    return Folder(root, name, follow_links)


def open_storage(location: str, *, follow_links: bool = True) -> Folder:
    """The folder of a ``file://`` URL; what is raised is that of `open_folder`."""
    from urllib.parse import unquote, urlsplit

    return open_folder(unquote(urlsplit(location).path), follow_links=follow_links)


def _name(entry: Entry) -> str:
    return entry.name


def _around(location: str, path: str) -> tuple[str, str]:
    """Folder and name of a file; a link of the hub cache keeps its own name, since a blob's name says nothing."""
    root, name = os.path.split(os.path.join(os.path.realpath(os.path.dirname(location)), os.path.basename(location)))
    if os.path.islink(location) and not is_own_blob(path, root):
        return os.path.split(path)
    return root, name


def _open_inner(name: str, parent: int) -> int | None:
    """A folder inside another; None where it is a link."""
    try:
        return os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return None
        raise


def _status(path: str) -> os.stat_result:
    """The status of a regular file, links followed. Raises `UnreadableError`, OSError."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if not os.path.islink(path):
            raise
        raise UnreadableError("dangling-link", f"is a link to {os.readlink(path)}, which does not exist") from None
    _refuse_special(status)
    return status


def _refuse_special(status: os.stat_result) -> None:
    if kind := _SPECIAL.get(stat.S_IFMT(status.st_mode)):
        raise UnreadableError(kind, f"is a {_WORDS.get(kind, kind)}, not a regular file")


def _guard(fd: int, outside: str | None = None) -> GuardedFile:
    try:
        status = os.fstat(fd)
        _refuse_special(status)
        return GuardedFile(fd, status, outside)
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
