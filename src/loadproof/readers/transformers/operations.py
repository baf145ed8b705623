"""The conversion operations of single model families, as functions of shapes (core_model_loading.py:188-882)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from loadproof.core.loading import Operation
from loadproof.readers.transformers import dequantize
from loadproof.readers.transformers.shapes import (
    ConversionError,
    Inputs,
    NotModelledError,
    Target,
    Tensor,
    Unknown,
    cat,
    chunk,
    concatenate,
    dim_of,
    listed,
    merge_modulelist,
    only,
    resized,
    split,
    stack,
    transpose,
)


def interleave(inputs: Inputs, at: Target, dim: int = 0, **_: Any) -> Inputs:
    """Reorder along `dim`; the size must be even."""
    tensor = only(inputs)
    if not isinstance(tensor, Unknown) and tensor[dim_of(tensor, dim)] % 2:
        raise ConversionError(f"shape {listed(tensor)} is invalid for input: dimension {dim} is odd")
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
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], only(inputs)
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
    key, tensor = at.targets[0] if len(at.targets) == 1 else at.sources[0], only(inputs)
    if not isinstance(tensor, Unknown):
        shape = (tensor[0], in_channels, *kernel_size)
        if prod(tensor) != prod(shape):
            raise ConversionError(f"Cannot reshape tensor with shape {listed(tensor)} into {shape}")
        tensor = shape
    return {key: [tensor]}


def unpad_vocab(inputs: Inputs, at: Target, inverse: bool = False, **_: Any) -> Inputs:
    """Keep the first `unpadded_vocab_size` rows."""
    tensor, rows = only(inputs), at.config.get("unpadded_vocab_size")
    if inverse or not isinstance(rows, int):
        raise NotModelledError("Inkling2UnpadVocab")
    if not isinstance(tensor, Unknown):
        tensor = resized(tensor, 0, min(tensor[0], rows))
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
            joined[target].append(stack(part, stack_dim))
    return {target: [cat(parts, concat_dim)] for target, parts in joined.items()}


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


def run(operation: Operation, inputs: Inputs, at: Target) -> Inputs:
    """{source or target pattern: tensors} after one operation. Raises `ConversionError` or `NotModelledError`."""
    function = OPERATIONS.get(operation.name) or dequantize.OPERATIONS.get(operation.name)
    if function is None:
        raise NotModelledError(operation.name)
    return function(inputs, at, **operation.arguments)
