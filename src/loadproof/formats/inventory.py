"""What lies in a checkpoint folder: names, sizes, what the first bytes say, and the shard indexes."""

from __future__ import annotations

import os
import stat

from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory
from loadproof.core.coverage import Skip
from loadproof.formats import sniff
from loadproof.formats.faults import Faults
from loadproof.formats.index import is_index, read_index
from loadproof.storage import Folder, UnreadableError, open_folder


def take_inventory(location: str) -> Inventory:
    """The top level of a folder, or of the folder around a single file.

    Raises FileNotFoundError, NotADirectoryError or PermissionError when `location` itself cannot be opened;
    everything found inside becomes a problem. A problem concerns a reader only if the reader would open that file.
    """
    faults = Faults()
    with open_folder(location) as folder:
        names, is_complete = folder.list()
        files = [info for name in names if (info := _look_at(folder, name, faults))]
        indexes = [index for info in files if is_index(info.path) and (index := _read(folder, info, faults))]
        skipped = () if is_complete else (Skip("the rest of the folder", f"it holds more than {len(names):,} files"),)
        return Inventory(
            location, folder.root, tuple(files), tuple(indexes), faults.result(), folder.single_file, skipped
        )


def look_at(folder: Folder, name: str) -> FileInfo:
    """Kind and size of one regular file. Raises `UnreadableError`."""
    with folder.open(name) as opened:
        return FileInfo(name, opened.size, sniff.kind_of(opened.read(0, sniff.HEAD), opened.size, name))


def _look_at(folder: Folder, name: str, faults: Faults) -> FileInfo | None:
    """None for folders that do not pretend to be weights. Only names that promise weights or JSON are opened."""
    try:
        status = folder.stat(name)
        is_file = stat.S_ISREG(status.st_mode)
        if not sniff.claims_weights(name) and not name.endswith(".json"):
            return (
                None
                if stat.S_ISDIR(status.st_mode)
                else FileInfo(name, status.st_size, "other" if is_file else "special")
            )
        return look_at(folder, name)
    except UnreadableError as error:
        if error.kind == "folder" and name.endswith(".json"):
            return None
        add_unreadable(faults, name, error, folder.root)
        return FileInfo(name, 0, "special")


def _read(folder: Folder, info: FileInfo, faults: Faults) -> IndexFile | None:
    if info.kind == "special":
        return None
    if info.kind == "lfs-pointer":
        faults.add(
            "LP001",
            info.path,
            "lfs-pointer",
            "a Git LFS pointer lies in place of the index",
            offset=0,
            breaks="JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        )
        return IndexFile(info.path, {}, None, False, readable=False)
    try:
        with folder.open(info.path) as opened:
            index, problems = read_index(opened, info.path)
    except UnreadableError as error:
        add_unreadable(faults, info.path, error, folder.root)
        return IndexFile(info.path, {}, None, False, readable=False)
    faults.extend(problems)
    return index


_CODES = {"absent": "LP102", "dangling-link": "LP102", "permission": "LP102", "io-error": "LP102"}
_BREAKS = {
    "absent": "FileNotFoundError: No such file or directory",
    "dangling-link": "FileNotFoundError: No such file or directory",
    "permission": "PermissionError: Permission denied",
    "io-error": "OSError: Input/output error",
    "link-loop": "OSError: Too many levels of symbolic links",
    "folder": "IsADirectoryError: Is a directory",
}


def add_unreadable(faults: Faults, file: str, error: UnreadableError, location: str) -> None:
    """Record why a file was not opened: LP102 when it is not there or not readable, LP110 when it is not followed."""
    breaks = _BREAKS.get(error.kind)
    text = f"the file {error.reason}"
    if breaks:
        breaks += f": {os.path.join(location, file)}"
    faults.add(_CODES.get(error.kind, "LP110"), file, error.kind, text, breaks=breaks)
