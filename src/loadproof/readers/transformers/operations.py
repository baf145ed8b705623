"""The reader's conversion operations as functions of shapes (core_model_loading.py:81-882).

A tensor is its shape; where only names are known it is `Unknown`, which still knows how many tensors were stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from msgspec import Struct

from loadproof.types import Operation, Shape


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


def run(operation: Operation, inputs: Inputs, at: Target) -> Inputs:
    """{source or target pattern: tensors} after one operation. Raises `ConversionError` or `NotModelledError`."""
    function = OPERATIONS.get(operation.name)
    if function is None:
        raise NotModelledError(operation.name)
    return function(inputs, at, **operation.arguments)


def _only(inputs: Inputs) -> Tensor:
    return next(iter(inputs.values()))[0]


def _single(inputs: Inputs) -> Tensor:
    if len(inputs) > 1:
        raise ConversionError("Undefined Operation encountered")
    return _only(inputs)


def _dim(shape: Shape, dim: int) -> int:
    if not -len(shape) <= dim < len(shape):
        raise ConversionError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {dim})"
        )
    return dim % len(shape)


def _resized(shape: Shape, dim: int, size: int) -> Shape:
    return (*shape[:dim], size, *shape[dim + 1 :])


def _listed(shape: Shape) -> str:
    return str(list(shape))


def merge_modulelist(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Stack the tensors of each source along a new dimension."""
    if len(inputs) == 1 and len(at.targets) != 1:
        raise ConversionError("Undefined Operation encountered!")
    return {at.targets[0] if len(inputs) == 1 else key: [_stack(tensors, dim)] for key, tensors in inputs.items()}


def _stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
    first = tensors[0]
    if any(isinstance(t, Unknown) for t in tensors) or isinstance(first, Unknown):
        return Unknown((dim, len(tensors)))
    for i, other in enumerate(tensors):
        if other != first:
            raise ConversionError(
                f"stack expects each tensor to be equal size, but got {_listed(first)} at entry 0 "
                f"and {_listed(other)} at entry {i}"  # type: ignore[arg-type]
            )
    where = dim if dim >= 0 else dim + len(first) + 1
    if not 0 <= where <= len(first):
        raise ConversionError(f"Dimension out of range: stack at {dim} of {_listed(first)}")
    return (*first[:where], len(tensors), *first[where:])


def concatenate(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Join all tensors along `dim`, in the order of the converter's sources."""
    if len(at.targets) > 1:
        raise ConversionError("Undefined Operation encountered!")
    parts = [tensor for pattern in at.sources if pattern in inputs for tensor in inputs[pattern]]
    if not parts:
        raise ConversionError("torch.cat(): expected a non-empty list of Tensors")
    return {at.targets[0]: [_cat(parts, dim)]}


def _cat(parts: Sequence[Tensor], dim: int) -> Tensor:
    if any(isinstance(p, Unknown) for p in parts):
        return _cat_unknown([p for p in parts if isinstance(p, Unknown)], len(parts), dim)
    shapes: list[Shape] = [p for p in parts if not isinstance(p, Unknown)]
    head = shapes[0]
    where = _dim(head, dim)
    for shape in shapes[1:]:
        if len(shape) != len(head):
            raise ConversionError(f"Tensors must have same number of dimensions: got {len(head)} and {len(shape)}")
        if any(a != b for i, (a, b) in enumerate(zip(head, shape, strict=True)) if i != where):
            raise ConversionError(
                f"Sizes of tensors must match except in dimension {dim}: {_listed(head)} and {_listed(shape)}"
            )
    return _resized(head, where, sum(shape[where] for shape in shapes))


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
    where = _dim(tensor, dim)
    size, left, sizes = -(-tensor[where] // len(targets)), tensor[where], []
    while left > 0:
        sizes.append(min(size, left))
        left -= sizes[-1]
    return {t: [_resized(tensor, where, n)] for t, n in zip(targets, sizes, strict=False)}


def split(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Cut one tensor into parts sized like the parameters that take them."""
    tensor = _single(inputs)
    wanted = {target: at.shape_of(at.name.replace(at.targets[0], target)) for target in at.targets}
    for target, shape in wanted.items():
        if shape is None:
            raise ConversionError(f"{at.name.replace(at.targets[0], target)} is not a parameter")
    if isinstance(tensor, Unknown):
        return {target: [Unknown()] for target in at.targets}
    sizes = [shape[_dim(shape, dim)] for shape in wanted.values() if shape is not None]
    where = _dim(tensor, dim)
    if sum(sizes) != tensor[where]:
        raise ConversionError(
            f"split_with_sizes expects split_sizes to sum exactly to {tensor[where]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={sizes}"
        )
    return {target: [_resized(tensor, where, n)] for target, n in zip(at.targets, sizes, strict=True)}


def transpose(inputs: Inputs, at: Target, dim0: int = 0, dim1: int = 1, check_dims: bool = False, **_: Any) -> Inputs:
    """Swap two dimensions; with `check_dims` only where the shape is not the parameter's already."""
    if len(inputs) != 1 or (len(at.targets) > 1 and len(at.sources) != 1):
        raise ConversionError("Undefined Operation encountered!")
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], _only(inputs)
    if isinstance(tensor, Unknown) or (check_dims and tensor == at.shape_of(at.name)):
        return {key: [Unknown() if isinstance(tensor, Unknown) else tensor]}
    a, b, shape = _dim(tensor, dim0), _dim(tensor, dim1), list(tensor)
    shape[a], shape[b] = shape[b], shape[a]
    return {key: [tuple(shape)]}


def interleave(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Reorder along `dim`; the size must be even."""
    tensor = _only(inputs)
    if not isinstance(tensor, Unknown) and tensor[_dim(tensor, dim)] % 2:
        raise ConversionError(f"shape {_listed(tensor)} is invalid for input: dimension {dim} is odd")
    return {at.targets[0]: [tensor]}


def permute_for_rope(
    inputs: Inputs,
    at: Target,
    subconfig_key: str | None = None,
    permute_layer_names: Sequence[str] | None = None,
    **_: Any,
) -> Inputs:
    """Reorder rows within heads; the shape stays, the rows must divide into pairs per head."""
    out: Inputs = {}
    for source, tensors in inputs.items():
        if len(at.targets) == 1 and len(at.sources) == 1:
            key = at.targets[0]
        elif 1 in (len(at.targets), len(at.sources)):
            key = source
        else:
            raise ConversionError("Undefined Operation encountered!")
        if permute_layer_names is None or any(name in source for name in permute_layer_names):
            if len(tensors) > 1:
                raise ConversionError("PermuteForRope expects a single tensor per key.")
            _check_heads(tensors[0], _section(at.config, subconfig_key))
        out[key] = tensors
    return out


def _section(config: Mapping[str, Any], key: str | None) -> Mapping[str, Any]:
    section = config.get(key) if key is not None else None
    return section if isinstance(section, Mapping) else config


def _check_heads(tensor: Tensor, config: Mapping[str, Any]) -> None:
    heads = config.get("num_attention_heads", 1)
    if isinstance(tensor, Unknown) or not isinstance(heads, int) or heads < 1 or len(tensor) not in (1, 2):
        return
    half = tensor[0] // heads // 2
    if heads * half * 2 != tensor[0]:
        raise ConversionError(f"shape '[{heads}, {half}, 2]' is invalid for input of size {prod(tensor)}")


def vision_fuse(inputs: Inputs, at: Target, dim: int = 0, permute_layer_names: Any = None, **_: Any) -> Inputs:
    """Permute, then concatenate."""
    return concatenate(permute_for_rope(inputs, at, "vision_config", permute_layer_names), at, dim)


def vision_unfuse(inputs: Inputs, at: Target, dim: int = 0, permute_layer_names: Any = None, **_: Any) -> Inputs:
    """Chunk, then permute."""
    return permute_for_rope(chunk(inputs, at, dim), at, "vision_config", permute_layer_names)


def conv3d_to_linear(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """Flatten all but the first dimension of a 5-D weight."""
    if len(inputs) != 1 or (len(at.targets) > 1 and len(at.sources) != 1):
        raise ConversionError("Undefined Operation encountered!")
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], _only(inputs)
    if not isinstance(tensor, Unknown):
        if len(tensor) not in (2, 5):
            raise ConversionError(f"Conv3dToLinear expects a 5D or 2D tensor, got {len(tensor)}D")
        tensor = (tensor[0], prod(tensor[1:]))
    return {key: [tensor]}


def linear_to_conv3d(
    inputs: Inputs, at: Target, in_channels: int = 0, kernel_size: Sequence[int] = (), **_: Any
) -> Inputs:
    """Unflatten to a 5-D weight."""
    if len(inputs) != 1 or (len(at.targets) > 1 and len(at.sources) != 1):
        raise ConversionError("Undefined Operation encountered!")
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], _only(inputs)
    if not isinstance(tensor, Unknown):
        shape = (tensor[0], in_channels, *kernel_size)
        if prod(tensor) != prod(shape):
            raise ConversionError(f"Cannot reshape tensor with shape {_listed(tensor)} into {shape}")
        tensor = shape
    return {key: [tensor]}


def unpad_vocab(inputs: Inputs, at: Target, inverse: bool = False, **_: Any) -> Inputs:
    """Keep the first `unpadded_vocab_size` rows."""
    tensor, rows = _only(inputs), at.config.get("unpadded_vocab_size")
    if inverse or not isinstance(rows, int):
        raise NotModelledError("Inkling2UnpadVocab")
    if not isinstance(tensor, Unknown):
        tensor = _resized(tensor, 0, min(tensor[0], rows))
    return {at.targets[0]: [tensor]}


def ernie_experts(inputs: Inputs, at: Target, stack_dim: int = 0, concat_dim: int = 1, **_: Any) -> Inputs:
    """Each source's experts cut into as many halves as targets, stacked; the sources joined per target."""
    joined: dict[str, list[Tensor]] = {target: [] for target in at.targets}
    for pattern in at.sources:
        if pattern not in inputs:
            raise ConversionError(f"Expected pattern {pattern} in collected tensors")
        tensors, number = inputs[pattern], len(at.targets)
        size = -(-len(tensors) // number)
        for i, target in enumerate(at.targets):
            part = tensors[i * size : (i + 1) * size]
            if not part:
                raise ConversionError("stack expects a non-empty TensorList")
            joined[target].append(_stack(part, stack_dim))
    return {target: [_cat(parts, concat_dim)] for target, parts in joined.items()}


OPERATIONS: dict[str, Callable[..., Inputs]] = {
    "MergeModulelist": merge_modulelist,
    "Concatenate": concatenate,
    "Chunk": chunk,
    "Split": split,
    "Transpose": transpose,
    "Interleave": interleave,
    "PermuteForRope": permute_for_rope,
    "VisionFuseAndPermuteForRope": vision_fuse,
    "VisionUnfuseAndPermuteForRope": vision_unfuse,
    "Conv3dToLinear": conv3d_to_linear,
    "LinearToConv3d": linear_to_conv3d,
    "Inkling2UnpadVocab": unpad_vocab,
    "ErnieFuseAndSplitTextVisionExperts": ernie_experts,
}
