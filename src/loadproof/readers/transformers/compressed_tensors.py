"""`CompressedTensorsDequantize` as a function of shapes: what unpacks the experts of a checkpoint, one tensor each.

Modules that stay packed load as they are and need no operation. Source: integrations/compressed_tensors.py of 5.24.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadproof.readers.transformers.shapes import ConversionError, Inputs, NotModelledError, Target, Tensor, Unknown

_PACKED = "pack-quantized"


def dequantize(inputs: Inputs, at: Target, scheme: Any = None, **_: Any) -> Inputs:
    """Per expert: an FP8 weight times its scale, or packed integers; what has no scale is handed on as it is."""
    if "weight" in inputs or "weight_scale" in inputs:
        return _dense(inputs, at)
    declared = _declared(at.config)
    group = scheme if isinstance(scheme, Mapping) else _of_experts(declared)
    weights = group.get("weights") or {}
    if weights.get("type") == "float" and weights.get("num_bits") == 8:
        return _scaled(inputs, at)
    if not any("weight_packed" in key for key in inputs):
        return {}  # nothing else is looked for: what comes next has no tensors to join
    if (group.get("format") or declared.get("format")) != _PACKED:
        raise NotModelledError(f"CompressedTensorsDequantize of {group.get('format') or declared.get('format')}")
    return _unpacked(inputs, at, weights)


def _dense(inputs: Inputs, at: Target) -> Inputs:
    """The general converter, where the whole model is dequantized: a weight alone is cast."""
    if "weight_scale" in inputs or "weight" not in inputs:
        raise NotModelledError("CompressedTensorsDequantize of a dense module")
    at.decoded.update(key for key in inputs if key != "weight")
    return {at.targets[0]: [inputs["weight"][0]]}


def _declared(config: Mapping[str, Any]) -> Mapping[str, Any]:
    entry = config.get("quantization_config")
    inner = entry.get("quantization_config") if isinstance(entry, Mapping) else None
    if not isinstance(inner, Mapping) or not inner.get("config_groups"):
        raise NotModelledError("CompressedTensorsDequantize")
    return inner


def _of_experts(declared: Mapping[str, Any]) -> Mapping[str, Any]:
    """`get_experts_scheme`: the group that names experts, else the first with class names, else the first."""
    groups = list(declared["config_groups"].values())
    named = (g for g in groups if any(t.startswith("re:") and "experts" in t for t in g["targets"]))
    plain = (g for g in groups if any(not t.startswith("re:") for t in g["targets"]))
    found: Mapping[str, Any] = next(named, next(plain, groups[0]))
    return found


def _scaled(inputs: Inputs, at: Target) -> Inputs:
    """FP8. Fewer scales than weights leave the last weights as memory happens to be: the numbers are no weights."""
    out: Inputs = {}
    for key, weights in inputs.items():
        if "weight_scale" in key:
            at.decoded.add(key)
            continue
        scales = inputs.get(key.replace(".weight", ".weight_scale"))
        if scales is None:
            out[key] = weights
            continue
        if len(scales) >= len(weights):
            at.decoded.add(key)
        first = [_product(w, s) for w, s in zip(weights, scales, strict=False)]
        out[key] = [first[0]] * len(weights)
    return out


def _product(weight: Tensor, scale: Tensor) -> Tensor:
    if isinstance(weight, Unknown) or isinstance(scale, Unknown):
        return Unknown()
    n = max(len(weight), len(scale))
    left, right = (1,) * (n - len(weight)) + tuple(weight), (1,) * (n - len(scale)) + tuple(scale)
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
        raise ConversionError(f"a weight {list(weight)} is not scaled by {list(scale)}")
    return tuple(max(a, b) for a, b in zip(left, right, strict=True))


def _unpacked(inputs: Inputs, at: Target, weights: Mapping[str, Any]) -> Inputs:
    out: Inputs = {}
    at.decoded.update(key for key in inputs if "weight_packed" not in key and not key.endswith(".weight"))
    for key, packed in inputs.items():
        if "weight_packed" not in key:
            continue
        scales = inputs.get(key.replace("weight_packed", "weight_scale"))
        if scales is None:
            raise ConversionError(repr(key.replace("weight_packed", "weight_scale")))
        shapes = inputs.get(key.replace("weight_packed", "weight_shape"))
        if shapes is not None and len(shapes) < min(len(packed), len(scales)):
            raise ConversionError("list index out of range")
        if not weights.get("symmetric", True) and weights.get("strategy") in ("group", "channel"):
            raise ConversionError("Asymmetric quant requires zero-point values")
        if len(scales) >= len(packed):
            at.decoded.add(key)
        first = [_integers(p, s, weights) for p, s in zip(packed, scales, strict=False)]
        out[key] = [first[0]] * len(packed)
    return out


def _integers(packed: Tensor, scale: Tensor, weights: Mapping[str, Any]) -> Tensor:
    """A weight as wide as its packed form says; what `weight_shape` holds is not read."""
    bits, group = weights.get("num_bits"), weights.get("group_size")
    if isinstance(packed, Unknown) or isinstance(scale, Unknown):
        return Unknown()
    if not isinstance(bits, int) or 32 % bits or len(packed) != 2:
        raise NotModelledError("CompressedTensorsDequantize")
    columns = packed[1] * (32 // bits)
    if isinstance(group, int) and group > 0 and columns != scale[-1] * group:
        raise ConversionError(f"scales {list(scale)} do not fit {columns} columns in groups of {group}")
    return (packed[0], columns)
