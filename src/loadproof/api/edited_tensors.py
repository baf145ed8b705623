"""Tensor edits carried out on stored families, as data: what the headers would say afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

Families = tuple[Family, ...]


class CannotTellError(Exception):
    """The edit does not fit the tensors, or its result cannot be told from names and shapes."""


def after(families: Families, edits: Iterable[Edit]) -> Families:
    """The families once these edits are carried out; edits of files and of JSON change nothing here.

    Raises `CannotTellError`.
    """
    for edit in edits:
        handler = _HANDLERS.get(type(edit))
        if handler is not None:
            families = tuple(handler(families, edit))
    return families


def _rename(families: Families, edit: RenameTensors) -> Families:
    """All pairs at once, as the repair does it."""
    left, moved = list(families), list[Family]()
    for old, new, axes in edit.pairs:
        where, box = _spelled(old, axes)
        rest: list[Family] = []
        for family in left:
            inner = intersect(family.axes, box) if family.template == where else None
            if inner is None:
                rest.append(family)
                continue
            template, target = _renamed(old, new, axes, inner)
            moved.append(replace(family, template=template, axes=target))
            rest += _without(family, box)
        left = rest
    return (*left, *moved)


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


def _without(family: Family, axes: Axes) -> list[Family]:
    return [replace(family, axes=box) for box in subtract(family.axes, axes)]


def _reshape(families: Families, edit: ReshapeTensors) -> Families:
    def reshaped(family: Family) -> Family:
        if family.shape is not None and prod(family.shape) != prod(edit.shape):
            raise CannotTellError(f"{edit.template}: another number of elements")
        return replace(family, shape=tuple(edit.shape))

    return _each(families, edit.template, edit.axes, reshaped)


def _transpose(families: Families, edit: TransposeTensors) -> Families:
    def transposed(family: Family) -> Family:
        shape, (one, other) = list(family.shape or ()), edit.dims
        if not shape or max(edit.dims) >= len(shape):
            raise CannotTellError(f"{edit.template}: no such dimensions")
        shape[one], shape[other] = shape[other], shape[one]
        return replace(family, shape=tuple(shape))

    return _each(families, edit.template, edit.axes, transposed)


def _each(families: Families, template: str, axes: Axes, change: Callable[[Family], Family]) -> Families:
    """The members within the box changed, all others as they are."""
    where, box = _spelled(template, axes)
    made: list[Family] = []
    for family in families:
        inner = intersect(family.axes, box) if family.template == where else None
        made += [family] if inner is None else [*_without(family, box), change(replace(family, axes=inner))]
    return tuple(made)


def _drop(families: Families, edit: DropTensors) -> Families:
    """Of a name that is stored twice one copy goes, and the name stays."""
    if edit.file is not None:
        return families
    where, box = _spelled(edit.template, edit.axes)
    return tuple(
        piece for family in families for piece in (_without(family, box) if family.template == where else [family])
    )


def _copy(families: Families, edit: CopyTensor) -> Families:
    source, _ = _find(families, *split_name(edit.source))
    template, indices = split_name(edit.name)
    return (*families, replace(source, template=template, axes=tuple((index,) for index in indices)))


def _stack(families: Families, edit: StackTensors) -> Families:
    shapes = [_whole(families, template, edit.axes) for template in edit.sources]
    first = shapes[0]
    joined = list(first.shape or ())
    if edit.concat_dim is not None and len(shapes) > 1:
        if not 0 < edit.concat_dim <= len(joined):
            raise CannotTellError(f"{edit.target}: nothing to join at")
        joined[edit.concat_dim - 1] = sum((family.shape or ())[edit.concat_dim - 1] for family in shapes)
    shape = (len(edit.axes[-1]), *joined)
    for template in edit.sources:
        families = _drop(families, DropTensors(template, edit.axes))
    return (*families, replace(first, template=edit.target, axes=edit.axes[:-1], shape=shape))


def _split(families: Families, edit: SplitTensors) -> Families:
    axes = edit.axes[: edit.source.count(HOLE)]
    packed = _whole(families, edit.source, axes)
    shape = packed.shape or ()
    at = 1 if edit.concat_dim is None else edit.concat_dim
    parts = len(edit.targets)
    if len(shape) < 2 or not 0 < at < len(shape) or shape[at] % parts:
        raise CannotTellError(f"{edit.source} cannot be cut into {parts} equal parts")
    piece: Shape = (*shape[1:at], shape[at] // parts, *shape[at + 1 :])
    numbers = tuple(range(shape[0]))
    made = [replace(packed, template=target, axes=(*axes, numbers), shape=piece) for target in edit.targets]
    return (*_drop(families, DropTensors(edit.source, axes)), *made)


def _whole(families: Families, template: str, axes: Axes) -> Family:
    """A family of these names that stands for all of them. Raises where some are not stored or differ in shape."""
    held = [family for family in families if family.template == template]
    shapes = {(family.dtype, family.shape) for family in held if intersect(family.axes, axes) is not None}
    if len(shapes) != 1 or subtract_all([axes], [family.axes for family in held]):
        raise CannotTellError(f"{template}: not all stored alike")
    return next(family for family in held if intersect(family.axes, axes) is not None)


def _find(families: Families, template: str, indices: tuple[int, ...]) -> tuple[Family, Axes]:
    box = tuple((index,) for index in indices)
    for family in families:
        if family.template == template and intersect(family.axes, box) is not None:
            return family, box
    raise CannotTellError(f"{join_name(template, indices)} is not stored")


_HANDLERS: dict[type, Callable[[Families, Any], Iterable[Family]]] = {
    RenameTensors: _rename,
    ReshapeTensors: _reshape,
    TransposeTensors: _transpose,
    DropTensors: _drop,
    CopyTensor: _copy,
    StackTensors: _stack,
    SplitTensors: _split,
}

__all__ = ["CannotTellError", "after"]
