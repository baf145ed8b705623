"""Tensor edits carried out on stored families, as data: what the headers would say afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

from msgspec.structs import replace

from loadproof.core.boxes import intersect, subtract, subtract_all
from loadproof.core.edits import (
    CopyTensor,
    DropTensors,
    Edit,
    RenameTensors,
    ReshapeTensors,
    SplitTensors,
    StackTensors,
    TransposeTensors,
)
from loadproof.core.families import HOLE, join_name, split_name
from loadproof.core.tensors import Axes, Family, Shape

Stored = dict[str, list[Family]]  # by template


class CannotTellError(Exception):
    """The edit does not fit the tensors, or its result does not follow from names and shapes."""


def after(families: Iterable[Family], edits: Iterable[Edit]) -> tuple[Family, ...]:
    """The families once these edits are carried out; edits of files and of JSON change nothing here.

    Raises `CannotTellError`.
    """
    stored: Stored = {}
    for family in families:
        stored.setdefault(family.template, []).append(family)
    for edit in edits:
        handler = _HANDLERS.get(type(edit))
        if handler is not None:
            handler(stored, edit)
    return tuple(family for held in stored.values() for family in held)


def before(families: Iterable[Family], edits: Sequence[Edit]) -> tuple[Family, ...]:
    """The families under the names that they had before the renames among these edits. Raises `CannotTellError`."""
    renames = [edit for edit in edits if isinstance(edit, RenameTensors)]
    back = [RenameTensors(tuple(_turned(*pair) for pair in edit.pairs)) for edit in reversed(renames)]
    return after(families, back)


def _turned(old: str, new: str, axes: Axes) -> tuple[str, str, Axes]:
    kept = axes if new.count(HOLE) == len(axes) else tuple(axis for axis in axes if len(axis) > 1)
    return new, old, kept


def name_before(name: str, edits: Sequence[Edit]) -> str:
    """The name of one tensor before the renames among these edits; the name itself where that is not known."""
    template, indices = split_name(name)
    try:
        [family] = before([Family(template, tuple((index,) for index in indices), None, None)], edits)
    except CannotTellError:
        return name
    return join_name(family.template, tuple(axis[0] for axis in family.axes))


def _rename(stored: Stored, edit: RenameTensors) -> None:
    """All pairs at once, as the repair does it: what has moved is not met again."""
    moved: list[Family] = []
    for old, new, axes in edit.pairs:
        where, box = _spelled(old, axes)
        for family in _take(stored, where, box):
            template, target = _renamed(old, new, axes, family.axes)
            moved.append(replace(family, template=template, axes=target))
    for family in moved:
        stored.setdefault(family.template, []).append(family)


def _take(stored: Stored, template: str, box: Axes) -> list[Family]:
    """The members within the box, which are then no longer stored."""
    taken: list[Family] = []
    left: list[Family] = []
    for family in stored.get(template, ()):
        inner = intersect(family.axes, box) if len(family.axes) == len(box) else None
        if inner is None:
            left.append(family)
        else:
            taken.append(replace(family, axes=inner))
            left += [replace(family, axes=rest) for rest in subtract(family.axes, box)]
    stored[template] = left
    return taken


def _spelled(template: str, axes: Axes) -> tuple[str, Axes]:
    """The same names with every number as an index: `layers.3.{}.x` is `layers.{}.{}.x` at 3."""
    name = join_name(template, tuple(axis[0] for axis in axes))
    folded, indices = split_name(name)
    given, parts = iter(axes), template.split(".")
    holes = [part == HOLE for part, wanted in zip(parts, folded.split("."), strict=True) if wanted == HOLE]
    return folded, tuple(next(given) if hole else (index,) for hole, index in zip(holes, indices, strict=True))


def _renamed(old: str, new: str, axes: Axes, inner: Axes) -> tuple[str, Axes]:
    """Template and axes of the members `inner` under their new name; an axis of one index may have gone from it."""
    folded = _spelled(old, axes)[0].split(".")
    free = [part == HOLE for part, wanted in zip(old.split("."), folded, strict=True) if wanted == HOLE]
    kept = tuple(axis for axis, is_free in zip(inner, free, strict=True) if is_free)
    if new.count(HOLE) < len(axes):
        kept = tuple(axis for axis, whole in zip(kept, axes, strict=True) if len(whole) > 1)
    if new.count(HOLE) != len(kept):
        raise CannotTellError(f"{old} and {new} have different indices")
    return _spelled(new, kept)


def _reshape(stored: Stored, edit: ReshapeTensors) -> None:
    where, box = _spelled(edit.template, edit.axes)
    for family in _take(stored, where, box):
        if family.shape is not None and prod(family.shape) != prod(edit.shape):
            raise CannotTellError(f"{edit.template}: another number of elements")
        stored[where].append(replace(family, shape=tuple(edit.shape)))


def _transpose(stored: Stored, edit: TransposeTensors) -> None:
    where, box = _spelled(edit.template, edit.axes)
    for family in _take(stored, where, box):
        shape, (one, other) = list(family.shape or ()), edit.dims
        if not shape or max(edit.dims) >= len(shape):
            raise CannotTellError(f"{edit.template}: no such dimensions")
        shape[one], shape[other] = shape[other], shape[one]
        stored[where].append(replace(family, shape=tuple(shape)))


def _drop(stored: Stored, edit: DropTensors) -> None:
    """Of a name that is stored twice one copy goes, and the name stays."""
    if edit.file is None:
        _take(stored, *_spelled(edit.template, edit.axes))


def _copy(stored: Stored, edit: CopyTensor) -> None:
    source, indices = split_name(edit.source)
    family = _whole(stored, source, tuple((index,) for index in indices))
    template, indices = split_name(edit.name)
    copy = replace(family, template=template, axes=tuple((index,) for index in indices))
    stored.setdefault(template, []).append(copy)


def _stack(stored: Stored, edit: StackTensors) -> None:
    parts = [_whole(stored, template, edit.axes) for template in edit.sources]
    joined = list(parts[0].shape or ())
    if edit.concat_dim is not None and len(parts) > 1:
        if not 0 < edit.concat_dim <= len(joined):
            raise CannotTellError(f"{edit.target}: nothing to join at")
        joined[edit.concat_dim - 1] = sum((family.shape or ())[edit.concat_dim - 1] for family in parts)
    for template in edit.sources:
        _take(stored, template, edit.axes)
    packed = replace(parts[0], template=edit.target, axes=edit.axes[:-1], shape=(len(edit.axes[-1]), *joined))
    stored.setdefault(edit.target, []).append(packed)


def _split(stored: Stored, edit: SplitTensors) -> None:
    axes = edit.axes[: edit.source.count(HOLE)]
    packed = _whole(stored, edit.source, axes)
    shape = packed.shape or ()
    at = 1 if edit.concat_dim is None else edit.concat_dim
    parts = len(edit.targets)
    if len(shape) < 2 or not 0 < at < len(shape) or shape[at] % parts:
        raise CannotTellError(f"{edit.source} cannot be cut into {parts} equal parts")
    piece: Shape = (*shape[1:at], shape[at] // parts, *shape[at + 1 :])
    _take(stored, edit.source, axes)
    for target in edit.targets:
        one = replace(packed, template=target, axes=(*axes, tuple(range(shape[0]))), shape=piece)
        stored.setdefault(target, []).append(one)


def _whole(stored: Stored, template: str, axes: Axes) -> Family:
    """A family of these names that stands for all of them. Raises where some are not stored or differ in shape."""
    held = [family for family in stored.get(template, ()) if intersect(family.axes, axes) is not None]
    alike = len({(family.dtype, family.shape) for family in held}) == 1
    if not alike or subtract_all([axes], [family.axes for family in held]):
        raise CannotTellError(f"{template}: not all stored, or not alike")
    return held[0]


_HANDLERS: dict[type, Callable[[Stored, Any], None]] = {
    RenameTensors: _rename,
    ReshapeTensors: _reshape,
    TransposeTensors: _transpose,
    DropTensors: _drop,
    CopyTensor: _copy,
    StackTensors: _stack,
    SplitTensors: _split,
}

__all__ = ["CannotTellError", "after", "before", "name_before"]
