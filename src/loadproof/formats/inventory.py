"""What lies in a checkpoint folder: names, sizes, what the first bytes say, and the shard indexes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from loadproof.config.problems import withheld
from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory
from loadproof.core.coverage import Skip
from loadproof.core.known_names import CONFIG, KNOWN, WEIGHTS
from loadproof.core.training import TrainingState
from loadproof.formats import sniff
from loadproof.formats.faults import Faults
from loadproof.formats.index import is_index, read_index
from loadproof.formats.registry import kind_of
from loadproof.storage import Entry, Storage, UnreadableError

PROMISES = (
    "global_step",
    "pytorch_model_fsdp_",
)  # folders that hold the weights of which the save beside them is broken


def take_inventory(storage: Storage, location: str) -> Inventory:
    """The top level of a storage, and the files that its indexes name; `location` is the user's word for it.

    Everything found inside becomes a problem. A problem concerns a reader only if the reader would open that file.
    """
    faults = Faults()
    entries, is_whole = storage.list()
    if not is_whole:
        asked = {name: storage.look(name) for name in KNOWN}
        there = {entry.name: entry for entry in (*entries, *asked.values()) if entry.state != "absent"}
        entries = tuple(there[name] for name in sorted(there))
    files = {entry.name: info for entry in entries if (info := _look_at(storage, entry, faults))}
    indexes = [index for info in files.values() if is_index(info.path) and (index := _read(storage, info, faults))]
    holds = cache(
        lambda name: storage.look(name).state != "absent"
    )  # an index may name a million files of one such folder
    for target in _not_listed(indexes, files, is_whole):
        above = os.path.dirname(target)
        if (not above or holds(above)) and (info := _look_at_shard(storage, target, faults)):
            files[target] = info
    skipped = () if is_whole else (Skip("the rest of the folder", f"it holds more than {len(entries):,} files"),)
    single = storage.single_file
    states = _states(storage, entries, faults) if single is None else ()
    return Inventory(
        location, tuple(files.values()), tuple(indexes), faults.result(), single, skipped, is_whole, states
    )


def _states(storage: Storage, entries: Iterable[Entry], faults: Faults) -> tuple[TrainingState, ...]:
    """What a training run left, looked for where no weights lie under the names that readers know."""
    has_weights = any(entry.name in WEIGHTS and entry.kind == "file" for entry in entries)
    if has_weights and not any(entry.name.startswith(PROMISES) for entry in entries):
        return ()
    from loadproof.formats.training import find_states  # rarely needed

    states, problems = find_states(storage)
    faults.extend(problems)
    return states


def look_at(storage: Storage, name: str) -> FileInfo:
    """Kind and size of one regular file. Raises `UnreadableError`."""
    with storage.open(name) as opened:
        kind = kind_of(opened.read(0, sniff.HEAD), opened.size, name)
        return FileInfo(name, opened.size, kind, opened.outside or "")


def look_up(storage: Storage, inventory: Inventory, name: str) -> FileInfo | None:
    """What a reader finds under a name, None where nothing is there: of a folder that was not listed whole it is asked."""
    info = next((info for info in inventory.files if info.path == name), None)
    if info is not None or (inventory.is_whole and "/" not in name):  # what lies deeper is not listed
        return info
    entry = storage.look(name)
    return None if entry.state == "absent" else _look_at(storage, entry, Faults())


def _not_listed(indexes: Iterable[IndexFile], files: dict[str, FileInfo], is_whole: bool) -> list[str]:
    """Files that an index names and the listing need not tell of: in sub-folders, under odd names, all where it was cut."""
    targets = {target for index in indexes for target in index.weight_map.values()}
    asked = (target for target in targets if target not in files)
    return sorted(file for file in asked if "/" in file or not is_whole or not sniff.claims_weights(file))


def _look_at(storage: Storage, entry: Entry, faults: Faults) -> FileInfo | None:
    """None for folders that do not pretend to be weights. Only names that promise weights or JSON are opened."""
    name = entry.name
    try:
        if sniff.claims_weights(name) or name.endswith(".json"):
            return look_at(storage, name)
        if entry.why is not None:
            raise entry.why
        if entry.kind == "folder":
            return None
        return FileInfo(name, entry.size, "other" if entry.kind == "file" else "special")
    except UnreadableError as error:
        if error.kind == "folder" and name.endswith(".json"):
            return None
        return _unreadable(storage, name, error, faults)


def _look_at_shard(storage: Storage, target: str, faults: Faults) -> FileInfo | None:
    """A file below a sub-folder; one that is not there, or that the folder does not reach, is no file of it."""
    try:
        return look_at(storage, target)
    except UnreadableError as error:
        return None if error.kind == "unsafe-path" else _unreadable(storage, target, error, faults)


def _unreadable(storage: Storage, name: str, error: UnreadableError, faults: Faults) -> FileInfo | None:
    """The entry of a name under which nothing can be read; None where nothing is there."""
    if error.kind == "absent":
        return None
    if name != CONFIG:  # reported where it is read
        add_unreadable(faults, name, error, storage.place)
    if error.kind == "dangling-link":
        return None
    return FileInfo(name, 0, "unreadable" if error.kind in _IS_THERE else "special")


def _read(storage: Storage, info: FileInfo, faults: Faults) -> IndexFile | None:
    if info.kind == "special":
        return None
    if info.kind == "unreadable":
        return IndexFile(info.path, {}, None, False, readable=False)
    if info.kind == "lfs-pointer":
        faults.add("LP001", info.path, "lfs-pointer", "a Git LFS pointer lies in place of the index", offset=0)
        return IndexFile(info.path, {}, None, False, readable=False)
    try:
        with storage.open(info.path) as opened:
            index, problems = read_index(opened, info.path, storage.resolve)
    except UnreadableError as error:
        add_unreadable(faults, info.path, error, storage.place)
        return IndexFile(info.path, {}, None, False, readable=False)
    faults.extend(tuple(map(withheld, problems)) if info.link else problems)
    return index


_IS_THERE = frozenset({"permission", "io-error", "link-outside", "unsafe-path"})
_CODES = {
    "absent": "LP102",
    "permission": "LP102",
    "io-error": "LP102",
    "not-a-folder": "LP102",
    "dangling-link": "LP114",
}


def add_unreadable(faults: Faults, file: str, error: UnreadableError, location: str) -> None:
    """Record why a file was not opened.

    LP102 when it is not there or not readable, LP114 when it is a link to nothing, LP110 when it is not followed.
    """
    code, path = _CODES.get(error.kind, "LP110"), os.path.join(location, file)
    faults.add(code, file, error.kind, f"the file {error.reason}", particular=path)
