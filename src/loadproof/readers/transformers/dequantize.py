"""The operations that quantizers put into the loading rules, as functions of shapes.

Each says which patterns it has decoded (`Target.decoded`): what is handed on as it was stored is not.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from loadproof.core.dtypes import is_packed
from loadproof.readers.transformers import compressed_tensors
from loadproof.readers.transformers.shapes import ConversionError, Inputs, NotModelledError, Target, Tensor, Unknown

_SCALE, _ACTIVATION = "weight_scale_inv", "activation_scale"


def fp8(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`Fp8Dequantize`: a weight and its scales, or lists of both before the experts are merged."""
    if "weight" in inputs:
        return {at.targets[0]: [_one_fp8(inputs, at)]}
    out: Inputs = {}
    for key, weights in inputs.items():
        if _ACTIVATION in key or _SCALE in key:
            at.decoded.add(key)
            continue
        scales = inputs.get(f"{key}_scale_inv")
        if scales is None:
            out[key] = weights
            continue
        if len(weights) != len(scales):
            raise ConversionError(
                f"Fp8Dequantize: weight/scale count mismatch for {key} "
                f"({len(weights)} weights vs {len(scales)} scales)."
            )
        at.decoded.add(key)
        out[key] = [_scaled(w, s, at.dtypes.get(key)) for w, s in zip(weights, scales, strict=True)]
    return out


def _one_fp8(inputs: Inputs, at: Target) -> Tensor:
    weight = inputs["weight"][0]
    at.decoded.update(key for key in inputs if key != "weight")
    if _SCALE not in inputs:
        return weight
    at.decoded.add("weight")
    return _scaled(weight, inputs[_SCALE][0], at.dtypes.get("weight"))


def _scaled(weight: Tensor, scales: Tensor, dtype: str | None) -> Tensor:
    if isinstance(weight, Unknown) or isinstance(scales, Unknown):
        return Unknown()
    if dtype in ("I8", "F4"):  # two numbers of four bits in a byte
        weight = (*weight[:-1], 2 * weight[-1])
    if len(weight) < 2:
        raise ConversionError("not enough values to unpack (expected 2, got 1)")
    rows, columns = weight[-2:]
    down, across = scales[-2:] if len(scales) >= 2 else (1, 1)
    if not down or not across or rows % down or columns % across:
        raise ConversionError(f"Weight shape ({rows}, {columns}) not divisible by scale grid ({down}, {across}).")
    if prod(weight[:-2]) * down * across != prod(scales) and prod(scales) != down * across:
        raise ConversionError(f"shape '[-1, {down}, {across}]' is invalid for input of size {prod(scales)}")
    if prod(scales) % (down * across):
        raise ConversionError(f"shape '[-1, {down}, {across}]' is invalid for input of size {prod(scales)}")
    return weight


def bnb_4bit(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`Bnb4bitDeserialize`: one tensor alone is taken as it is, whatever it holds."""
    if len(inputs) == 1:
        return inputs
    _needs(inputs, "weight")
    states = [key for key in inputs if "quant_state" in key]
    if len(states) != 1:
        raise ConversionError(
            "There should be exactly one `quant_state` item with ending from ['bitsandbytes__fp4', 'bitsandbytes__nf4']."
        )
    for part in ("weight.absmax", "weight.quant_map"):
        _needs(inputs, part)
    if "weight.nested_absmax" in inputs:
        _needs(inputs, "weight.nested_quant_map")
    at.decoded.update(inputs.keys() - _handed_on(inputs, at))
    return {"weight": [inputs["weight"][0]]}


def _handed_on(inputs: Inputs, at: Target) -> set[str]:
    """What is taken as it is stored: the weight in a dense module; scales that were quantized and lack their own scales.

    bitsandbytes takes the bytes of such scales for scales (functional.py `QuantState.from_dict`).
    """
    if not at.any_shape:
        return {"weight"}
    is_unscaled = at.dtypes.get("weight.absmax") == "U8" and "weight.nested_absmax" not in inputs
    if not is_unscaled:
        return set()
    return {"weight"} if is_packed(at.dtypes.get("weight")) else {"weight.absmax"}  # bnb_4bit_quant_storage


def bnb_8bit(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`Bnb8bitDeserialize`"""
    if len(inputs) == 1:
        return inputs
    for part in ("weight", "SCB"):
        _needs(inputs, part)
    at.decoded.update(inputs if at.any_shape else inputs.keys() - {"weight"})
    return {"weight": [inputs["weight"][0]]}


def mxfp4(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`Mxfp4Dequantize`: blocks [E, O, groups, 16] and scales [E, O, groups] -> [E, groups * 32, O]."""
    name = "gate_up_proj" if "gate_up_proj" in at.name else "down_proj"
    for part in ("_blocks", "_scales"):
        _needs(inputs, name + part)
    at.decoded.update(inputs)
    blocks, scales = inputs[f"{name}_blocks"][0], inputs[f"{name}_scales"][0]
    if isinstance(blocks, Unknown) or isinstance(scales, Unknown):
        return {at.targets[0]: [Unknown()]}
    if blocks[:-1] != scales:
        raise ConversionError(f"blocks.shape[:-1]={list(blocks[:-1])} does not match scales.shape={list(scales)}")
    if len(blocks) != 4:
        raise ConversionError(f"blocks of {len(blocks)} dimensions")
    return {at.targets[0]: [(blocks[0], blocks[2] * blocks[3] * 2, blocks[1])]}


def metal(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`MetalDequantize`: weight [O, I * bits / 32], scales and qbiases [O, I / group_size]."""
    entry = at.config.get("quantization_config") or {}
    bits, group = entry.get("bits"), entry.get("group_size")
    out: Inputs = {}
    for key, weights in inputs.items():
        begin = key.removesuffix("weight")
        if key.endswith(("scales", "qbiases")):
            at.decoded.add(key)
            continue
        if begin + "scales" not in inputs:
            out[key] = weights
            continue
        _needs(inputs, begin + "qbiases")
        at.decoded.add(key)
        parts = zip(weights, inputs[begin + "scales"], inputs[begin + "qbiases"], strict=False)
        out[key] = [_affine(w, s, b, bits, group) for w, s, b in parts]
    return {at.targets[0]: [out["weight"][0]]} if "weight" in out else out


def _affine(weight: Tensor, scales: Tensor, biases: Tensor, bits: Any, group: Any) -> Tensor:
    if isinstance(weight, Unknown) or isinstance(scales, Unknown) or isinstance(biases, Unknown):
        return Unknown()
    if not isinstance(bits, int) or not isinstance(group, int) or len(weight) != 2:
        raise NotModelledError("MetalDequantize")
    columns = weight[1] * (32 // bits)
    if 1 in scales or 1 in biases:  # they may be spread over all groups
        raise NotModelledError("MetalDequantize")
    if not group or columns % group or scales != (weight[0], columns // group) or biases != scales:
        raise ConversionError(f"scales {list(scales)} do not fit a weight {list(weight)} in groups of {group}")
    return (weight[0], columns)


def bitnet(inputs: Inputs, at: Target, **_: Any) -> Inputs:
    """`BitNetDeserialize`: four rows in each stored one, where the module has four times as many."""
    _needs(inputs, "weight")
    weight, wanted = inputs["weight"][0], at.shape_of(at.name)
    known = not isinstance(weight, Unknown) and wanted is not None and len(weight) == len(wanted) == 2
    if known and weight[0] * 4 == wanted[0]:  # type: ignore[index]
        at.decoded.add("weight")
        weight = (weight[0] * 4, weight[1])  # type: ignore[index]
    return {"weight": [weight]}


def _needs(inputs: Inputs, key: str) -> None:
    if key not in inputs:
        raise ConversionError(repr(key))


OPERATIONS: dict[str, Callable[..., Inputs]] = {
    "Fp8Dequantize": fp8,
    "Bnb4bitDeserialize": bnb_4bit,
    "Bnb8bitDeserialize": bnb_8bit,
    "Mxfp4Dequantize": mxfp4,
    "MetalDequantize": metal,
    "BitNetDeserialize": bitnet,
    "CompressedTensorsDequantize": compressed_tensors.dequantize,
}
