"""What was read of the disk, and whether it still is what it was: for a cache that imports nothing of the evaluator."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

# A FIFO must not hang.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Seen(NamedTuple):
    """A file that was read, or a folder: a later answer from a cache needs it unchanged. `digest`: not of trusted ones."""

    path: str
    digest: str = ""


def content_of(path: str, most: int = -1, flags: int = 0) -> bytes | None:
    """The first `most` bytes of a regular file; None where there is none."""
    try:
        with open(os.open(path, _OPEN | flags), "rb") as f:
            return f.read(most) if stat.S_ISREG(os.fstat(f.fileno()).st_mode) else None
    except (OSError, ValueError):
        return None


def digest(data: bytes) -> str:
    """What a file that may be written again with the same size and time is known by."""
    import hashlib  # not for a release's own classes, where nothing is hashed

    return hashlib.sha256(data).hexdigest()


def digest_at(path: str) -> str:
    """`digest` of what lies there now: the content of a file, the names of the Python files and folders in a folder."""
    if not os.path.isdir(path):
        content = content_of(path)
        return "" if content is None else digest(content)
    try:
        with os.scandir(path) as entries:
            names = [f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries]
    except OSError:
        return ""
    return digest(
        "\0".join(sorted(name for name in names if name.endswith(("/", ".py")))).encode(errors="surrogatepass")
    )
