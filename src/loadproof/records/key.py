"""The key of this user, with which records are signed: 32 random bytes in the state folder, for this user's eyes only.

Where the key lies follows the XDG base directory specification: ``$XDG_STATE_HOME``, else ``~/.local/state``.
"""

from __future__ import annotations

import contextlib
import os
import stat

LENGTH = 32
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_HAS_OWNERS = hasattr(os, "geteuid")  # Windows: the profile folder keeps others out, modes say nothing

_ELSEWHERE = "name a folder of yours in XDG_STATE_HOME"


class KeyUnusableError(OSError):
    """The key is there and must not be used, or cannot be read or made; the text says why and what to do."""


def state_folder() -> str:
    """``$XDG_STATE_HOME/loadproof``, else ``~/.local/state/loadproof``. A relative XDG path is ignored, as specified."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "loadproof")


def key_path() -> str:
    return os.path.join(state_folder(), "record-key")


def user() -> int:
    """The number of the user who acts; 0 where the system has none."""
    return os.geteuid() if _HAS_OWNERS else 0


def load_key() -> bytes | None:
    """The key, None when none was ever made. Raises KeyUnusableError: a key that others may know proves nothing."""
    path = key_path()
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except OSError as error:
        raise KeyUnusableError(f"the key of your records, {path}, cannot be read: {error.strerror}") from None
    try:
        _judge(os.fstat(descriptor), path)
        key = os.read(descriptor, LENGTH + 1)
    except KeyUnusableError:
        raise
    except OSError as error:
        raise KeyUnusableError(f"the key of your records, {path}, cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if len(key) != LENGTH:
        raise KeyUnusableError(f"the key of your records, {path}, is damaged; delete it, and a new one is made")
    return key


def _judge(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyUnusableError(f"the key of your records, {path}, is not a regular file; delete it")
    if _HAS_OWNERS and found.st_uid != os.geteuid():
        raise KeyUnusableError(f"the key of your records, {path}, belongs to another user; {_ELSEWHERE}")
    if _HAS_OWNERS and found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise KeyUnusableError(f"the key of your records, {path}, is open to others (mode {mode:o}); delete it")


def make_key() -> bytes:
    """The key, made when there is none. Two processes that make it at once get the same. Raises KeyUnusableError."""
    key = load_key()
    if key is not None:
        return key
    folder = state_folder()
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        _judge_folder(folder)
        _put(folder, os.urandom(LENGTH))
    except KeyUnusableError:
        raise
    except OSError as error:
        raise KeyUnusableError(
            f"the key that signs your records cannot be made in {folder}: {error.strerror}; {_ELSEWHERE}"
        ) from None
    made = load_key()
    if made is None:
        raise KeyUnusableError(f"the key that signs your records vanished from {folder}")
    return made


def _judge_folder(folder: str) -> None:
    found = os.lstat(folder)
    if _HAS_OWNERS and stat.S_ISDIR(found.st_mode) and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
        raise KeyUnusableError(f"{folder} belongs to another user or is open to others; {_ELSEWHERE}")


def _put(folder: str, key: bytes) -> None:
    """Whole or not at all, and never over another: written beside, then linked to its name."""
    temporary = os.path.join(folder, f".key-{os.urandom(8).hex()}")
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        try:
            os.write(descriptor, key)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with contextlib.suppress(FileExistsError):
            _name(temporary, os.path.join(folder, "record-key"))
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    _make_durable(folder)


def _name(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except (PermissionError, NotImplementedError):  # a file system without hard links
        os.rename(temporary, path)


def _make_durable(folder: str) -> None:
    """A signed record must not outlive its key."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
