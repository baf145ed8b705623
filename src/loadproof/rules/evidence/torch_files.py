"""Torch files written anew as safetensors: which files that would be, and whether it can be offered."""

from __future__ import annotations

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SaveAsSafetensors
from loadproof.core.known_names import SAFE, SAFE_INDEX, TORCH
from loadproof.lexicon.shards import numbered


def save_as_safetensors(case: Case, key: str = "") -> Fix | None:
    """The fix, for what the reader opens; None where it opens other files, or safetensors has no type for a tensor."""
    pairs = [(file, target) for file in case.selection.files if (target := _target(file)) is not None]
    there = {info.path for info in case.inventory.files}
    if len(pairs) != len(case.selection.files) or not pairs or there & {target for _, target in pairs}:
        return None
    if not _are_storable(case, key):
        return None
    index = "" if len(pairs) == 1 and pairs[0][1] == SAFE else SAFE_INDEX
    what = f"what lies under the key {key!r}" if key else "the tensors"
    where = pairs[0][1] if len(pairs) == 1 else f"{len(pairs)} safetensors files"
    title = f"write {what} into {where}, byte for byte; the reader takes {'it' if len(pairs) == 1 else 'them'} first"
    return Fix(title, "lossless", (SaveAsSafetensors(tuple(pairs), key, index),))


def _target(file: str) -> str | None:
    """`pytorch_model.bin` becomes `model.safetensors`, and its shards the shards of that."""
    if file == TORCH:
        return SAFE
    shard = numbered(file)
    if shard is None or shard["suffix"] != "bin" or "/" in file:
        return None
    return f"model-{shard['number']}-of-{shard['total']}{shard['variant']}.safetensors"


def _are_storable(case: Case, key: str) -> bool:
    """Whether safetensors has a type for each of them. Other words for types are torch's own."""
    values = case.manifest.values
    if any(value.kind.lower().endswith("tensor") for value in values) and not key:
        return False
    families = (
        [family for value in values if value.name == key for family in value.families]
        if key
        else case.manifest.families
    )
    dtypes = {family.dtype for family in families if family.dtype is not None}
    return bool(dtypes) and all(dtype.isupper() and dtype != "F4" for dtype in dtypes)
