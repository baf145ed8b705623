"""What each tensor edit does to the draft. Nothing here touches a disk, except that a donor's headers are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

from loadproof.core.edits import (
    CopyTensor,
    DropTensors,
    GraftTensors,
    RenameTensors,
    ReshapeTensors,
    SplitTensors,
    StackTensors,
    TransposeTensors,
)
from loadproof.core.families import HOLE, join_name, names_of
from loadproof.core.tensors import Axes, Shape
from loadproof.formats.entry import BITS
from loadproof.repair.draft import Draft, Entry, RefusedError, Shard
from loadproof.repair.header import HeaderError, read_header
from loadproof.repair.sources import Columns, Slice, Source, Transposed, Weave

MOST_PIECES = 100_000  # that one packed tensor is split into


def rename(draft: Draft, edit: RenameTensors) -> None:
    """All pairs at once, so that names may be exchanged."""
    new_names: dict[str, str] = {}
    for old, new, axes in edit.pairs:
        new_names.update(zip(names_of(old, axes), _new_names(old, new, axes), strict=True))
    touched: dict[str, Shard] = {}
    for name in new_names:
        touched.update((shard.file, shard) for shard in draft.holders(name))
    for shard in touched.values():
        entries = {new_names.get(name, name): entry for name, entry in shard.entries.items()}
        if len(entries) != len(shard.entries) or "__metadata__" in entries:
            raise RefusedError(f"{shard.file}: two tensors would get one name", "drop one of the two before")
        shard.entries = entries
    draft.forget_places()
    for name in set(new_names.values()):
        if len(draft.holders(name)) > 1:
            raise RefusedError(f"{name} would then be stored twice", "drop one of the copies in the same plan, before")


def _new_names(old: str, new: str, axes: Axes) -> Iterator[str]:
    """The new names in the order of the old ones. An axis of one index may have gone from the new template."""
    kept = axes
    if new.count(HOLE) < len(axes):
        kept = tuple(axis for axis in axes if len(axis) > 1)
    if new.count(HOLE) != len(kept):
        raise RefusedError(f"{old} has {len(axes)} indices, {new} has places for {new.count(HOLE)}")
    return names_of(new, kept)


def reshape(draft: Draft, edit: ReshapeTensors) -> None:
    for name in names_of(edit.template, edit.axes):
        for shard in draft.holders(name):
            entry = shard.entries[name]
            if prod(entry.shape) != prod(edit.shape):
                raise RefusedError(
                    f"{name} {list(entry.shape)} has {prod(entry.shape):,} elements, {list(edit.shape)} would need "
                    f"{prod(edit.shape):,}"
                )
            shard.entries[name] = entry._replace(shape=tuple(edit.shape))


def drop(draft: Draft, edit: DropTensors) -> None:
    for name in names_of(edit.template, edit.axes):
        shards = draft.holders(name) if edit.file is None else [draft.shard(edit.file)]
        for shard in shards:
            if shard.entries.pop(name, None) is None:
                raise RefusedError(f"{shard.file} does not hold {name}")


def copy(draft: Draft, edit: CopyTensor) -> None:
    shard, entry = draft.one(edit.source)
    draft.add(draft.place_for_new(beside=shard), edit.name, entry._replace(origin=None))


def transpose(draft: Draft, edit: TransposeTensors) -> None:
    for name in names_of(edit.template, edit.axes):
        for shard in draft.holders(name):
            entry = shard.entries[name]
            shape, dims = entry.shape, (min(edit.dims), max(edit.dims))
            if not 0 <= dims[0] < dims[1] < len(shape):
                raise RefusedError(
                    f"{name} {list(shape)} has no dimensions {edit.dims[0]} and {edit.dims[1]} to exchange"
                )
            source = Transposed(entry.source, shape, dims, _item(entry.dtype, name))
            new = list(shape)
            new[dims[0]], new[dims[1]] = shape[dims[1]], shape[dims[0]]
            shard.entries[name] = entry._replace(shape=tuple(new), source=source)


def stack(draft: Draft, edit: StackTensors) -> None:
    """Sources are joined at `concat_dim` of the packed tensor (dimension 0 is the stacked one), then stacked."""
    axes = edit.axes
    if not axes:
        raise RefusedError(f"{edit.target}: nothing to stack over")
    for outer in product(*axes[:-1]):
        members = [[join_name(t, (*outer, last)) for t in edit.sources] for last in axes[-1]]
        held = [[draft.one(name) for name in row] for row in members]
        home = held[0][0][0]
        first = held[0]
        if any([(e.dtype, e.shape) for _, e in row] != [(e.dtype, e.shape) for _, e in first] for row in held):
            raise RefusedError(f"the members of {join_name(edit.target, outer)} differ in shape or dtype")
        joined = [_join([entry for _, entry in row], edit.concat_dim, edit.target) for row in held]
        for row, names in zip(held, members, strict=True):
            for (shard, _), name in zip(row, names, strict=True):
                del shard.entries[name]
        packed = Weave(tuple(source for source, _ in joined))
        entry = Entry(first[0][1].dtype, (len(axes[-1]), *joined[0][1]), packed, None)
        draft.add(home, join_name(edit.target, outer), entry)


def _join(entries: list[Entry], concat_dim: int | None, target: str) -> tuple[Source, Shape]:
    if len(entries) == 1:
        return entries[0].source, entries[0].shape
    if concat_dim is None or not 0 < concat_dim <= len(entries[0].shape):
        raise RefusedError(f"{target}: several sources need a dimension >= 1 to be joined at")
    at = concat_dim - 1
    outlines = {(e.dtype, e.shape[:at], e.shape[at + 1 :]) for e in entries}
    if len(outlines) > 1:
        raise RefusedError(f"{target}: the sources cannot be joined, their shapes differ")
    shape = entries[0].shape
    _item(entries[0].dtype, target)
    joined = (*shape[:at], sum(e.shape[at] for e in entries), *shape[at + 1 :])
    return Weave(tuple(e.source for e in entries), prod(shape[:at])), joined


def split(draft: Draft, edit: SplitTensors) -> None:
    """One packed tensor [n, ...] -> n times the targets, cut at `concat_dim` into equal parts, in order."""
    axes = edit.axes[: edit.source.count(HOLE)]  # the axis of the targets may be given as well
    for outer in product(*axes):
        name = join_name(edit.source, outer)
        shard, entry = draft.one(name)
        if entry.shape and entry.shape[0] > MOST_PIECES:
            raise RefusedError(f"{name} {list(entry.shape)} would become {entry.shape[0]:,} tensors")
        pieces = _cut(entry, len(edit.targets), edit.concat_dim, name)
        del shard.entries[name]
        for index in range(entry.shape[0]):
            for target, (shape, source) in zip(edit.targets, pieces(index), strict=True):
                draft.add(shard, join_name(target, (*outer, index)), Entry(entry.dtype, shape, source, None))


def _cut(entry: Entry, parts: int, concat_dim: int | None, name: str) -> Callable[[int], list[tuple[Shape, Source]]]:
    shape, at = entry.shape, 1 if concat_dim is None else concat_dim
    if len(shape) < 2 or (parts > 1 and not (0 < at < len(shape) and shape[at] % parts == 0)):
        raise RefusedError(f"{name} {list(shape)} cannot be cut into {parts} equal parts at dimension {at}")
    item = _item(entry.dtype, name)
    rows, step = prod(shape[1:at]), shape[at] // parts
    width = step * prod(shape[at + 1 :]) * item
    piece = (*shape[1:at], step, *shape[at + 1 :])
    plane = prod(shape[1:]) * item

    def pieces(index: int) -> list[tuple[Shape, Source]]:
        one = Columns(entry.source, 1, index * plane, (index + 1) * plane)
        return [(piece, Columns(one, rows, p * width, (p + 1) * width)) for p in range(parts)]

    return pieces


def graft(draft: Draft, edit: GraftTensors) -> None:
    """Tensors of the donor come in as they are; those that are here already are refused."""
    donor = os.path.abspath(os.path.join(draft.root, edit.donor))
    wanted = {name for template, axes in edit.pairs for name in names_of(template, axes)}
    found = _find_in_donor(donor, wanted)
    absent = sorted(wanted - set(found))
    if absent:
        raise RefusedError(
            f"the donor does not hold {absent[0]}" + (f" and {len(absent) - 1:,} more" if absent[1:] else "")
        )
    place = draft.place_for_new()
    for name in sorted(found):
        draft.add(place, name, found[name])


def _find_in_donor(donor: str, wanted: set[str]) -> dict[str, Entry]:
    try:
        files = sorted(f for f in os.listdir(donor) if f.endswith(".safetensors"))
        headers = {os.path.join(donor, f): read_header(os.path.join(donor, f)) for f in files}
    except (OSError, HeaderError) as error:
        raise RefusedError(f"the donor {donor} cannot be read: {error}") from None
    found: dict[str, Entry] = {}
    for path, header in headers.items():
        for name in wanted & header.tensors.keys():
            if name in found:
                raise RefusedError(f"the donor stores {name} in several files", "take the tensors from a clean donor")
            tensor = header.tensors[name]
            found[name] = Entry(tensor.dtype, tensor.shape, Slice(path, tensor.begin, tensor.end), None)
    return found


# ---------------------------------------------------------------- shared
def _item(dtype: str, name: str) -> int:
    if BITS[dtype] % 8:
        raise RefusedError(f"{name}: elements of {dtype} are smaller than a byte and cannot be moved one by one")
    return BITS[dtype] // 8


HANDLERS: dict[type, Callable[[Draft, Any], None]] = {
    RenameTensors: rename,
    ReshapeTensors: reshape,
    DropTensors: drop,
    CopyTensor: copy,
    TransposeTensors: transpose,
    StackTensors: stack,
    SplitTensors: split,
    GraftTensors: graft,
}
