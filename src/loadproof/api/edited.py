"""The case as it would be after edits: what the fix would leave on disk, read and predicted again without writing it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from loadproof.api.edited_tensors import CannotTellError, after, name_before
from loadproof.api.judging import assemble, expecting
from loadproof.config import config_of_text
from loadproof.core.case import Case
from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory, Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.edits import (
    DeleteJson,
    DropTensors,
    Edit,
    RebuildIndex,
    RegenerateHeader,
    SaveAsSafetensors,
    SetAside,
    SetJson,
    TruncateFile,
)
from loadproof.core.families import names_of
from loadproof.formats import StoredCheckpoint
from loadproof.jsontext.edit import JsonEditError, delete_value, set_value
from loadproof.readers import get_reader
from loadproof.readers.base import Reader
from loadproof.rules.catalogue import rule_of


def edited(case: Case, edits: Sequence[Edit]) -> Case:
    """What would be read, expected and predicted once the edits are carried out.

    Raises `CannotTellError` for an edit whose result names, shapes and config do not decide, or that cannot be made.
    """
    reader = get_reader(case.expectation.reader)
    try:
        config = _config(case.config, edits)
        inventory = _inventory(case, edits)
        checkpoint = _checkpoint(case).edited(inventory, config)
        selection, manifest = _weights(reader, case, checkpoint, edits)
        manifest = _healed(replace(manifest, families=after(manifest.families, edits)), edits)
    except (ValueError, IndexError, KeyError, OSError) as error:
        raise CannotTellError(str(error)) from None
    expectation = case.expectation
    if config.raw != case.config.raw:
        with expecting(reader, checkpoint, case.reading) as expected:
            expectation = expected()
    on_disk = partial(name_before, edits=edits)
    return assemble(reader, checkpoint, selection, manifest, expectation, case.reading, on_disk)


def _checkpoint(case: Case) -> StoredCheckpoint:
    if not isinstance(case.checkpoint, StoredCheckpoint):
        raise CannotTellError("there are no files to look at again")
    return case.checkpoint


def _config(config: ModelConfig, edits: Iterable[Edit]) -> ModelConfig:
    text = config.text
    for edit in edits:
        if isinstance(edit, SetJson | DeleteJson) and edit.file == config.path:
            try:
                is_set = isinstance(edit, SetJson)
                text = set_value(text, edit.path, edit.value) if is_set else delete_value(text, edit.path)  # type: ignore[union-attr]
            except JsonEditError as error:
                raise CannotTellError(f"{edit.file}: {error}") from None
    return config if text == config.text else config_of_text(text, config)


def _inventory(case: Case, edits: Iterable[Edit]) -> Inventory:
    inventory = case.inventory
    for edit in edits:
        if isinstance(edit, SetAside):
            inventory = _without_file(inventory, edit.file)
        elif isinstance(edit, RebuildIndex):
            inventory = _with_index(inventory, _rebuilt(_checkpoint(case), edit))
        elif isinstance(edit, SaveAsSafetensors):
            inventory = _with_safetensors(inventory, edit)
        elif isinstance(edit, SetJson | DeleteJson) and edit.file != case.config.path:
            inventory = _with_total(inventory, edit)
        elif isinstance(edit, RegenerateHeader | TruncateFile):
            inventory = replace(inventory, problems=_without_faults(inventory.problems, edit))
    return inventory


def _without_file(inventory: Inventory, file: str) -> Inventory:
    return replace(
        inventory,
        files=tuple(info for info in inventory.files if info.path != file),
        indexes=tuple(index for index in inventory.indexes if index.path != file),
        problems=tuple(problem for problem in inventory.problems if problem.file != file),
    )


def _with_index(inventory: Inventory, index: IndexFile) -> Inventory:
    """An index that lay there already keeps its file entry; a new one gets one."""
    others = _without_file(inventory, index.path)
    entry = next((info for info in inventory.files if info.path == index.path), None)
    made = entry or type(inventory.files[0])(index.path, 2, "json")
    return replace(others, files=(*others.files, replace(made, kind="json")), indexes=(*others.indexes, index))


def _rebuilt(checkpoint: StoredCheckpoint, edit: RebuildIndex) -> IndexFile:
    """The index that the headers of the files give."""
    weight_map: dict[str, str] = {}
    total = 0
    for file in edit.files:
        manifest = checkpoint.manifest(Selection(None, (file,), "safetensors"))
        total += manifest.bytes
        names = (name for family in manifest.families for name in names_of(family.template, family.axes))
        weight_map.update(dict.fromkeys(names, file.rpartition("/")[2]))
    return IndexFile(edit.index, weight_map, total, has_metadata=True)


def _with_total(inventory: Inventory, edit: SetJson | DeleteJson) -> Inventory:
    """Of the files beside config.json only the total of an index is edited."""
    index = next((index for index in inventory.indexes if index.path == edit.file), None)
    if index is None or not isinstance(edit, SetJson) or edit.path != ("metadata", "total_size"):
        raise CannotTellError(f"{edit.file} is not read again here")
    made = replace(index, total_size=edit.value, has_metadata=True)
    problems = tuple(p for p in inventory.problems if (p.code, p.file) != ("LP109", index.path))
    indexes = tuple(made if one is index else one for one in inventory.indexes)
    return replace(inventory, indexes=indexes, problems=problems)


def _with_safetensors(inventory: Inventory, edit: SaveAsSafetensors) -> Inventory:
    """The files that are written, and their index. What was said of the torch files concerns nobody any more."""
    made = (FileInfo(target, 0, "safetensors") for _, target in edit.pairs)
    inventory = replace(inventory, files=(*inventory.files, *made))
    if not edit.index:
        return inventory
    weight_map = {f"the tensors of {source}": target for source, target in edit.pairs}
    return _with_index(inventory, IndexFile(edit.index, weight_map, None, has_metadata=True))


def _saved(case: Case, edit: SaveAsSafetensors) -> Manifest:
    """The tensors under the names that they have there, in the files that are written."""
    targets = dict(edit.pairs)
    families = tuple(family for family in case.manifest.families if family.shape is not None)
    state = next((one for one in case.inventory.states if one.key is not None and one.folder in targets), None)
    if state is not None:
        named = (replace(one, template=state.prefix + one.template) for one in state.families)
        families = tuple(named)
    elif edit.key:
        below = [value for value in case.manifest.values if value.name == edit.key]
        families = tuple(family for value in below for family in value.families)
    if {file for family in families for file in family.files} - targets.keys():
        raise CannotTellError("the tensors of other files are not known")
    families = tuple(replace(one, files=tuple(sorted(targets[file] for file in one.files))) for one in families)
    problems = tuple(problem for problem in case.manifest.problems if problem.file not in targets)
    files = tuple(FileInfo(target, 0, "safetensors") for target in targets.values())
    return replace(case.manifest, files=files, families=families, problems=problems, values=(), unread=())


def _weights(
    reader: Reader, case: Case, checkpoint: StoredCheckpoint, edits: Sequence[Edit]
) -> tuple[Selection, Manifest]:
    """Selected and read again where other files would be opened, else as they were read."""
    inventory = checkpoint.inventory
    save = next((edit for edit in edits if isinstance(edit, SaveAsSafetensors)), None)
    if save is not None:
        selection = reader.select(checkpoint, case.reading)
        if set(selection.files) != {target for _, target in save.pairs}:
            raise CannotTellError("the library would open other files")
        return selection, replace(_saved(case, save), format=selection.format)
    if inventory.files == case.inventory.files and inventory.indexes == case.inventory.indexes:
        return case.selection, case.manifest
    selection = reader.select(checkpoint, case.reading)
    return selection, checkpoint.manifest(selection, case.reading.names_only)


def _healed(manifest: Manifest, edits: Iterable[Edit]) -> Manifest:
    for edit in edits:
        if isinstance(edit, RegenerateHeader | TruncateFile):
            metadata = manifest.metadata
            if isinstance(edit, RegenerateHeader):
                metadata = {**metadata, edit.file: {**metadata.get(edit.file, {}), **edit.metadata}}
            manifest = replace(manifest, metadata=metadata, problems=_without_faults(manifest.problems, edit))
    return _kept_once(manifest, edits)


def _without_faults(problems: tuple[Problem, ...], edit: RegenerateHeader | TruncateFile) -> tuple[Problem, ...]:
    return tuple(one for one in problems if one.file != edit.file or not _is_cured(one, type(edit)))


def _is_cured(problem: Problem, edit: type) -> bool:
    rule = rule_of(problem.code)
    return rule is not None and edit in rule.cured_by


def _kept_once(manifest: Manifest, edits: Iterable[Edit]) -> Manifest:
    """Copies of names that several files hold go, and what was said about them."""
    drops = (edit for edit in edits if isinstance(edit, DropTensors) and edit.file is not None)
    gone = {(name, edit.file) for edit in drops for name in names_of(edit.template, edit.axes)}
    if not gone:
        return manifest
    names = {name for name, _ in gone}
    kept = (
        replace(twice, files=tuple(file for file in twice.files if (twice.name, file) not in gone))
        for twice in manifest.duplicates
    )
    problems = tuple(p for p in manifest.problems if p.tensor not in names or not _is_cured(p, DropTensors))
    return replace(manifest, duplicates=tuple(twice for twice in kept if len(twice.files) > 1), problems=problems)


__all__ = ["CannotTellError", "edited"]
