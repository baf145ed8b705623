"""The files of a checkpoint and of the folders in it, as what looks for training states sees them."""

from __future__ import annotations

import shlex

from loadproof.formats.faults import Faults
from loadproof.formats.torch.read import read_torch
from loadproof.formats.torch.table import TorchFile
from loadproof.storage import Storage, UnreadableError

_DEEPEST = 3  # folders below the checkpoint
_MOST = 20_000  # names
_SMALL = 1 << 20  # bytes of a text
_LEFT_ALONE = frozenset((".git", ".cache", "__pycache__", "onnx", "openvino"))


class Files:
    """Names with their sizes, and what single files hold. Nothing is read before it is asked for."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.faults = Faults()
        self.sizes: dict[str, int] = {}
        self.folders: set[str] = set()
        self._list("", 0)

    def _list(self, folder: str, depth: int) -> None:
        entries = self.storage.below(folder) if folder else self.storage.list()[0]
        for entry in entries:
            if len(self.sizes) + len(self.folders) >= _MOST:
                return
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.kind == "file" and entry.state == "present":
                self.sizes[path] = entry.size
            elif entry.kind == "folder" and entry.name not in _LEFT_ALONE:
                self.folders.add(path)
                if depth < _DEEPEST:
                    self._list(path, depth + 1)

    def content(self, path: str, most: int = _SMALL) -> bytes | None:
        """The bytes of a small file, None where it is too large or cannot be read."""
        if self.sizes.get(path, most + 1) > most:
            return None
        try:
            with self.storage.open(path) as opened:
                return opened.read(0, opened.size)
        except UnreadableError:
            return None

    def torch(self, path: str) -> TorchFile | None:
        """What a torch file holds, None where it cannot be read to the end. What it would call is recorded."""
        faults = Faults()
        try:
            with self.storage.open(path) as opened:
                found = read_torch(opened, path, faults)
        except UnreadableError:
            return None
        self.faults.extend(tuple(problem for problem in faults.result() if problem.code == "LP012"))
        return found if found.is_read else None


def above(path: str) -> str:
    """The folder of a file, empty for one of the checkpoint itself."""
    return path.rpartition("/")[0]


def inside(folder: str, name: str) -> str:
    """A name in a folder."""
    return f"{folder}/{name}" if folder else name


def shown(folder: str) -> str:
    """A folder in a command, quoted for a shell; ``{folder}`` stands for the checkpoint as the user named it."""
    return inside("{folder}", shlex.quote(folder)) if folder else "{folder}"
