"""Torch files written anew as safetensors: which files that would be, and whether it can be offered."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors, SaveAsSafetensors
from loadproof.core.families import HOLE, count
from loadproof.core.known_names import SAFE, SAFE_INDEX, TORCH
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family
from loadproof.lexicon.shards import numbered
from loadproof.rules.evidence.whatif import outcome_with

_MOST_PARTS = 4  # dots of a prefix


def save_as_safetensors(case: Case, key: str = "", renames: tuple[RenameTensors, ...] = ()) -> Fix | None:
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
    return Fix(title, "lossless", (SaveAsSafetensors(tuple(pairs), key, index), *renames))


class Taken(Struct, frozen=True):
    """Tensors taken out of where they lie, and what loading makes of them. `prefix` stood before every name, and goes."""

    families: tuple[Family, ...]
    prefix: str = ""
    outcome: Outcome | None = None

    @property
    def lacking(self) -> int:
        """Parameters that would not get their tensor."""
        rows = () if self.outcome is None else self.outcome.rows
        return sum(count(row.axes) for row in rows if row.kind != "unexpected")

    @property
    def is_whole(self) -> bool:
        return self.outcome is not None and not self.outcome.raises and not self.lacking

    def renames(self, prefix: str = "") -> tuple[RenameTensors, ...]:
        """The edit that takes the prefix away; `prefix` is one more before it."""
        full = prefix + self.prefix
        if not full:
            return ()
        return (RenameTensors(tuple((full + one.template, one.template, one.axes) for one in self.families)),)


def taken_out(case: Case, families: tuple[Family, ...]) -> Taken:
    """With the first common beginning of the names (the attribute of a trainer, a wrapper) without which every parameter
    gets its tensor; as they are where there is none."""
    asked = Taken(families, "", outcome_with(case, families))
    tried = asked
    while not tried.is_whole and tried.prefix.count(".") < _MOST_PARTS and (part := _common_part(tried.families)):
        inner = tuple(replace(one, template=one.template.removeprefix(part)) for one in tried.families)
        tried = Taken(inner, tried.prefix + part, outcome_with(case, inner))
    return tried if tried.is_whole else asked


def _common_part(families: tuple[Family, ...]) -> str:
    parts = {family.template.partition(".")[0] for family in families}
    part = parts.pop() if len(parts) == 1 else ""
    return f"{part}." if part and part != HOLE else ""


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
