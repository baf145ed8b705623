"""Edits of whole files and of JSON, on the draft; and how the indexes follow what happened to the tensors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loadproof.core.checkpoint import IndexFile
from loadproof.core.edits import DeleteJson, RebuildIndex, RegenerateHeader, SetAside, SetJson, TruncateFile
from loadproof.jsontext.edit import JsonEditError, add_members, delete_value, parse, rename_keys, set_value
from loadproof.repair.draft import ASIDE, Draft, RefusedError
from loadproof.repair.sources import size_of


def set_json(draft: Draft, edit: SetJson) -> None:
    _edit_text(draft, edit.file, lambda text: set_value(text, edit.path, edit.value))


def delete_json(draft: Draft, edit: DeleteJson) -> None:
    _edit_text(draft, edit.file, lambda text: delete_value(text, edit.path))


def _edit_text(draft: Draft, file: str, change: Callable[[str], str]) -> None:
    try:
        draft.texts[file] = change(draft.text(file))
    except JsonEditError as error:
        raise RefusedError(f"{file}: {error}", "edit the file by hand", file) from None
    except ValueError as error:  # NaN and infinities have no spelling in JSON
        raise RefusedError(f"{file}: the new value cannot be written as JSON: {error}", file=file) from None


def rebuild_index(draft: Draft, edit: RebuildIndex) -> None:
    for file in edit.files:
        draft.shard(file)
    draft.rebuilt[edit.index] = edit.files


def regenerate_header(draft: Draft, edit: RegenerateHeader) -> None:
    shard = draft.shard(edit.file)
    shard.metadata = {**(shard.metadata or {}), **edit.metadata}
    shard.clean = True


def truncate(draft: Draft, edit: TruncateFile) -> None:
    """Only what lies behind the last tensor may go."""
    shard = draft.shard(edit.file)
    header = shard.header
    if header is None or not header.data_end <= edit.size <= header.size:
        end = header.data_end if header else 0
        raise RefusedError(f"{edit.file}: cannot be cut to {edit.size:,} bytes: its tensors end at {end:,}")
    draft.cuts[edit.file] = edit.size


def set_aside(draft: Draft, edit: SetAside) -> None:
    present = {info.path for info in draft.inventory.files}
    if any(edit.file in files for files in draft.rebuilt.values()):
        raise RefusedError(f"{edit.file} is to be set aside and named by an index", "fix one after the other")
    if edit.file not in present:
        raise RefusedError(f"there is no {edit.file} to set aside")
    target = edit.file + ASIDE
    if target in present:
        raise RefusedError(f"{target} is there already", "give it another name")
    draft.moves[edit.file] = target
    draft.shards.pop(edit.file, None)
    draft.forget_places()


HANDLERS: dict[type, Callable[[Draft, Any], None]] = {
    SetJson: set_json,
    DeleteJson: delete_json,
    RebuildIndex: rebuild_index,
    RegenerateHeader: regenerate_header,
    TruncateFile: truncate,
    SetAside: set_aside,
}


# ---------------------------------------------------------------- indexes
def follow(draft: Draft) -> None:
    """Bring every index in line with the draft. Entries that were wrong before and untouched stay as they are."""
    for file, shards in draft.rebuilt.items():
        draft.texts[file] = _fresh_index(draft, file, shards)
    for index in draft.indexes():
        if index.path not in draft.rebuilt and index.path not in draft.moves:
            _follow_one(draft, index)


def _fresh_index(draft: Draft, index: str, files: tuple[str, ...]) -> str:
    files = tuple(file for file in files if file in draft.shards)
    entries = {name: file.rpartition("/")[2] for file in files for name in draft.shards[file].entries}
    total = sum(draft.shards[file].bytes() for file in files)
    metadata = {**_old_metadata(draft, index), "total_size": total}
    content = {"metadata": metadata, "weight_map": dict(sorted(entries.items()))}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _old_metadata(draft: Draft, index: str) -> dict[str, Any]:
    try:
        document = parse(draft.text(index))
    except (RefusedError, JsonEditError):
        return {}
    metadata = document.get("metadata") if isinstance(document, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _follow_one(draft: Draft, index: IndexFile) -> None:
    folder = index.path.rpartition("/")[0]
    prefix = folder and folder + "/"
    new_keys, added = _changes(draft, index, prefix)
    if not new_keys and not added and index.path not in draft.texts:
        return
    try:
        text = rename_keys(draft.text(index.path), ("weight_map",), new_keys) if new_keys else draft.text(index.path)
        text = add_members(text, ("weight_map",), {name: file.removeprefix(prefix) for name, file in added.items()})
        draft.texts[index.path] = _with_total(text, draft)
    except JsonEditError as error:
        raise RefusedError(f"{index.path}: {error}", "rebuild the index in the same plan", index.path) from None


def _changes(draft: Draft, index: IndexFile, prefix: str) -> tuple[dict[str, str | None], dict[str, str]]:
    """Keys to rename or remove (None), and names to add with their file."""
    new_keys: dict[str, str | None] = {}
    added: dict[str, str] = {}
    listed = {prefix + file for file in index.weight_map.values()}
    for shard in draft.shards.values():
        if shard.header is not None and shard.file not in listed:
            continue
        now = {entry.origin[1]: name for name, entry in shard.entries.items() if entry.origin}
        for name in shard.header.tensors if shard.header else ():
            if index.weight_map.get(name) == shard.file.removeprefix(prefix) and now.get(name) != name:
                new_keys[name] = now.get(name)
                added.update((name, other.file) for other in draft.find(name) if now.get(name) is None)
        added.update((name, shard.file) for name, entry in shard.entries.items() if entry.origin is None)
    return new_keys, added


def _with_total(text: str, draft: Draft) -> str:
    """The total moves with the tensors; a total that was right by either way of counting copies stays right."""
    (all_before, once_before), (all_after, once_after) = _totals(draft)
    if (all_before, once_before) == (all_after, once_after):
        return text
    metadata = parse(text).get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    if type(total) is not int:
        return text
    growth = all_after - all_before if total == all_before else once_after - once_before
    return set_value(text, ("metadata", "total_size"), total + growth) if growth else text


def _totals(draft: Draft) -> tuple[tuple[int, int], tuple[int, int]]:
    """Bytes of the tensors on disk and in the draft: (every copy counted, every name counted once) each."""
    before: list[tuple[str, int]] = []
    after: list[tuple[str, int]] = []
    for shard in draft.shards.values():
        before += [(name, t.end - t.begin) for name, t in (shard.header.tensors.items() if shard.header else ())]
        after += [(name, size_of(entry.source)) for name, entry in shard.entries.items()]
    both = [(sum(size for _, size in side), sum(dict(side).values())) for side in (before, after)]
    return both[0], both[1]
