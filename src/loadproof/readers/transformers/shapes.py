"""The reader's conversion operations as functions of shapes (core_model_loading.py:81-882).

A tensor is its shape; where only names are known it is `Unknown`, which still knows how many tensors were stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from loadproof.core.tensors import Shape


class Unknown(Struct, frozen=True):
    """A tensor of unknown shape; `stacked` = (dim, n) when it is a stack of n tensors along dim."""

    stacked: tuple[int, int] | None = None


Tensor = Shape | Unknown
Inputs = dict[str, list[Tensor]]


class ConversionError(Exception):
    """The library would catch an exception here and report the parameter under CONVERSION."""


class NotModelledError(Exception):
    """The operation is not one we know; nothing can be said about its result."""


class Target(Struct, frozen=True):
    """What an operation may ask about the place it converts for."""

    name: str  # full name of the first target
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    shape_of: Callable[[str], Shape | None]  # of a parameter, by full name
    config: Mapping[str, Any]  # the effective config, text part first
    dtypes: Mapping[str, str | None] = {}  # of the collected tensors, by source pattern
    any_shape: bool = False  # the module there keeps packed numbers, and knows how to read them
    decoded: set[str] = set()  # source patterns whose numbers an operation has unpacked or scaled


def only(inputs: Inputs) -> Tensor:
    return next(iter(inputs.values()))[0]


def _single(inputs: Inputs) -> Tensor:
    if len(inputs) > 1:
        raise ConversionError("Undefined Operation encountered")
    return only(inputs)


def dim_of(shape: Shape, dim: int) -> int:
    if not -len(shape) <= dim < len(shape):
        raise ConversionError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {dim})"
        )
    return dim % len(shape)


def resized(shape: Shape, dim: int, size: int) -> Shape:
    return (*shape[:dim], size, *shape[dim + 1 :])


def listed(shape: Shape) -> str:
    return str(list(shape))


def merge_modulelist(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Stack the tensors of each source along a new dimension."""
    if len(inputs) == 1 and len(at.targets) != 1:
        raise ConversionError("Undefined Operation encountered!")
    return {at.targets[0] if len(inputs) == 1 else key: [stack(tensors, dim)] for key, tensors in inputs.items()}


def stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
    first = tensors[0]
    if any(isinstance(t, Unknown) for t in tensors) or isinstance(first, Unknown):
        return Unknown((dim, len(tensors)))
    for i, other in enumerate(tensors):
        if other != first:
            raise ConversionError(
                f"stack expects each tensor to be equal size, but got {listed(first)} at entry 0 "
                f"and {listed(other)} at entry {i}"  # type: ignore[arg-type]
            )
    where = dim if dim >= 0 else dim + len(first) + 1
    if not 0 <= where <= len(first):
        raise ConversionError(f"Dimension out of range: stack at {dim} of {listed(first)}")
    return (*first[:where], len(tensors), *first[where:])


def concatenate(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Join all tensors along `dim`, in the order of the converter's sources."""
    if len(at.targets) > 1:
        raise ConversionError("Undefined Operation encountered!")
    parts = [tensor for pattern in at.sources if pattern in inputs for tensor in inputs[pattern]]
    if not parts:
        raise ConversionError("torch.cat(): expected a non-empty list of Tensors")
    return {at.targets[0]: [cat(parts, dim)]}


def cat(parts: Sequence[Tensor], dim: int) -> Tensor:
    if any(isinstance(p, Unknown) for p in parts):
        return _cat_unknown([p for p in parts if isinstance(p, Unknown)], len(parts), dim)
    shapes: list[Shape] = [p for p in parts if not isinstance(p, Unknown)]
    head = shapes[0]
    where = dim_of(head, dim)
    for shape in shapes[1:]:
        if len(shape) != len(head):
            raise ConversionError(f"Tensors must have same number of dimensions: got {len(head)} and {len(shape)}")
        if any(a != b for i, (a, b) in enumerate(zip(head, shape, strict=True)) if i != where):
            raise ConversionError(
                f"Sizes of tensors must match except in dimension {dim}: {listed(head)} and {listed(shape)}"
            )
    return resized(head, where, sum(shape[where] for shape in shapes))


def _cat_unknown(parts: Sequence[Unknown], total: int, dim: int) -> Unknown:
    stacks = {part.stacked for part in parts}
    if len(parts) < total or None in stacks or any(s is not None and s[0] == dim for s in stacks):
        return Unknown()
    if len(stacks) > 1:
        counts = " and ".join(str(s[1]) for s in sorted(stacks) if s is not None)  # type: ignore[type-var]
        raise ConversionError(f"Sizes of tensors must match except in dimension {dim}: stacks of {counts}")
    return Unknown(stacks.pop())


def chunk(inputs: Inputs, at: Target, dim: int = 0, num_shards_attribute: str | None = None, **_: Any) -> Inputs:
    """Cut one tensor into as many parts as there are targets (or as a config field says)."""
    tensor, targets = _single(inputs), list(at.targets)
    if num_shards_attribute is not None:
        if len(targets) > 1:
            raise ConversionError("Undefined Operation encountered")
        number = at.config.get(num_shards_attribute)
        if not isinstance(number, int):
            raise NotModelledError(f"Chunk by {num_shards_attribute}")
        targets = [targets[0].replace("*", str(i)) for i in range(number)]
    if isinstance(tensor, Unknown):
        return {target: [Unknown()] for target in targets}
    where = dim_of(tensor, dim)
    size, left, sizes = -(-tensor[where] // len(targets)), tensor[where], []
    while left > 0:
        sizes.append(min(size, left))
        left -= sizes[-1]
    return {t: [resized(tensor, where, n)] for t, n in zip(targets, sizes, strict=False)}


def split(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Cut one tensor into parts sized like the parameters that take them."""
    tensor = _single(inputs)
    wanted = {target: at.shape_of(at.name.replace(at.targets[0], target)) for target in at.targets}
    for target, shape in wanted.items():
        if shape is None:
            raise ConversionError(f"{at.name.replace(at.targets[0], target)} is not a parameter")
    if isinstance(tensor, Unknown):
        return {target: [Unknown()] for target in at.targets}
    sizes = [shape[dim_of(shape, dim)] for shape in wanted.values() if shape is not None]
    where = dim_of(tensor, dim)
    if sum(sizes) != tensor[where]:
        raise ConversionError(
            f"split_with_sizes expects split_sizes to sum exactly to {tensor[where]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={sizes}"
        )
    return {target: [resized(tensor, where, n)] for target, n in zip(at.targets, sizes, strict=True)}


def transpose(inputs: Inputs, at: Target, dim0: int = 0, dim1: int = 1, check_dims: bool = False, **_: Any) -> Inputs:
    """Swap two dimensions; with `check_dims` only where the shape is not the parameter's already."""
    if len(inputs) != 1 or (len(at.targets) > 1 and len(at.sources) != 1):
        raise ConversionError("Undefined Operation encountered!")
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], only(inputs)
    if isinstance(tensor, Unknown) or (check_dims and tensor == at.shape_of(at.name)):
        return {key: [Unknown() if isinstance(tensor, Unknown) else tensor]}
    a, b, shape = dim_of(tensor, dim0), dim_of(tensor, dim1), list(tensor)
    shape[a], shape[b] = shape[b], shape[a]
    return {key: [tuple(shape)]}
