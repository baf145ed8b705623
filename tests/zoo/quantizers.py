"""Quantized forms of a checkpoint, written from what each format says, and not from the product's own tables.

Every function takes the names that are packed; the others stay dense. Shapes only: the bytes are made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from tests.zoo.checkpoint import Checkpoint, Tensor
from tests.zoo.mutations import Mutation, matching, named

Parts = dict[str, tuple[str, tuple[int, ...]]]  # name below the module -> dtype, shape


# Sizes of the zoo that no packer takes, and what they become: a size means the same in every tensor of a model.
SIZES = {
    "llama": {48: 96, 72: 160, 42: 48, 84: 96, 14: 16},
    "qwen3": {48: 96, 72: 160, 42: 48, 84: 96, 14: 16},
    "qwen3_moe": {48: 96, 72: 160, 24: 48, 8: 16, 22: 32},
    "qwen3_vl": {48: 96, 72: 160, 42: 48, 84: 96, 14: 16},
}
_FIELDS = ("hidden_size", "intermediate_size", "moe_intermediate_size", "head_dim", "out_hidden_size")


@named
def packable() -> Mutation:
    """The same model in sizes that every method can pack; its tower for images stays as it is."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        config = checkpoint.config or {}
        sizes = SIZES[config["model_type"]]
        tower = {name for name in checkpoint.tensors if "visual" in name and not re.search(r"merger.*fc2", name)}
        tensors = {
            name: t if name in tower else replace(t, shape=tuple(sizes.get(n, n) for n in t.shape))
            for name, t in checkpoint.tensors.items()
        }
        return replace(checkpoint, config=_resized(config, sizes), tensors=tensors)

    return act


def _resized(config: dict[str, Any], sizes: dict[int, int]) -> dict[str, Any]:
    made = {key: sizes.get(value, value) if key in _FIELDS else value for key, value in config.items()}
    if "vision_config" in made:
        vision = {**made["vision_config"], "out_hidden_size": sizes[config["vision_config"]["out_hidden_size"]]}
        made |= {"vision_config": vision, "text_config": _resized(made["text_config"], sizes)}
    return made


def packing(pattern: str, parts: Callable[[int, int], Parts]) -> Mutation:
    """Each matrix that matches becomes the tensors that `parts` makes of its two sizes."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors = dict(checkpoint.tensors)
        for name in matching(checkpoint, pattern):
            module = name.removesuffix(".weight")
            out, into = tensors.pop(name).shape
            tensors |= {
                f"{module}.{part}": Tensor(d, s, f"{module}.{part}") for part, (d, s) in parts(out, into).items()
            }
        return replace(checkpoint, tensors=tensors)

    return act


@named
def gptq(pattern: str, bits: int = 4, group: int = 32, g_idx: bool = True) -> Mutation:
    def parts(out: int, into: int) -> Parts:
        groups = 1 if group == -1 else ceil(into / group)
        made: Parts = {
            "qweight": ("I32", (into * bits // 32, out)),
            "qzeros": ("I32", (groups, out * bits // 32)),
            "scales": ("F16", (groups, out)),
        }
        return {**made, "g_idx": ("I32", (into,))} if g_idx else made

    return packing(pattern, parts)


@named
def awq(pattern: str, bits: int = 4, group: int = 32) -> Mutation:
    return packing(
        pattern,
        lambda out, into: {
            "qweight": ("I32", (into, out * bits // 32)),
            "qzeros": ("I32", (ceil(into / group), out * bits // 32)),
            "scales": ("F16", (ceil(into / group), out)),
        },
    )


@named
def pack_quantized(pattern: str, bits: int = 4, group: int = 32, zeros: bool = False) -> Mutation:
    def parts(out: int, into: int) -> Parts:
        groups = 1 if group == -1 else ceil(into / group)
        made: Parts = {
            "weight_packed": ("I32", (out, ceil(into * bits / 32))),
            "weight_scale": ("BF16", (out, groups)),
            "weight_shape": ("I64", (2,)),
        }
        return {**made, "weight_zero_point": ("I32", (out * bits // 32, groups))} if zeros else made

    return packing(pattern, parts)


@named
def scaled_fp8(pattern: str, strategy: str = "channel", inputs: bool = False) -> Mutation:
    def parts(out: int, into: int) -> Parts:
        scale = {"channel": (out, 1), "tensor": (1,), "scalar": (), "block": (ceil(out / 128), ceil(into / 128))}
        made: Parts = {"weight": ("F8_E4M3", (out, into)), "weight_scale": ("BF16", scale[strategy])}
        return {**made, "input_scale": ("BF16", (1,))} if inputs else made

    return packing(pattern, parts)


@named
def int8_channels(pattern: str) -> Mutation:
    return packing(pattern, lambda o, i: {"weight": ("I8", (o, i)), "weight_scale": ("BF16", (o, 1))})


@named
def bnb_8bit(pattern: str) -> Mutation:
    return packing(pattern, lambda o, i: {"weight": ("I8", (o, i)), "SCB": ("F32", (o,)), "weight_format": ("U8", ())})


@named
def nvfp4(pattern: str, exporter: str = "compressed-tensors") -> Mutation:
    def parts(out: int, into: int) -> Parts:
        scale = ("F8_E4M3", (out, into // 16))
        if exporter == "modelopt":
            return {
                "weight": ("U8", (out, into // 2)), "weight_scale": scale,
                "weight_scale_2": ("F32", ()), "input_scale": ("F32", ()),
            }  # fmt: skip
        return {
            "weight_packed": ("U8", (out, into // 2)), "weight_scale": scale,
            "weight_global_scale": ("F32", (1,)), "input_global_scale": ("F32", (1,)),
        }  # fmt: skip

    return packing(pattern, parts)


@named
def mx_affine(pattern: str, bits: int = 4, group: int = 32) -> Mutation:
    """MLX."""
    return packing(
        pattern,
        lambda o, i: {
            "weight": ("U32", (o, i * bits // 32)), "scales": ("BF16", (o, i // group)), "biases": ("BF16", (o, i // group)),
        },
    )  # fmt: skip


@named
def tinygemm(pattern: str, group: int = 32) -> Mutation:
    return packing(
        pattern,
        lambda o, i: {
            "weight": ("I32", (o // 8, i // 16, 32, 1)), "scales_and_zeros": ("BF16", (ceil(i / group), o, 2)),
        },
    )  # fmt: skip


@named
def torchao_int8(pattern: str) -> Mutation:
    return packing(pattern, lambda o, i: {"_weight_qdata": ("I8", (o, i)), "_weight_scale": ("BF16", (o, 1))})


def group_of(weights: dict[str, Any], inputs: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": inputs}}


def compressed(
    layout: str, weights: dict[str, Any], inputs: dict[str, Any] | None, ignore: list[str]
) -> dict[str, Any]:
    return {
        "quant_method": "compressed-tensors", "format": layout, "quantization_status": "compressed", "ignore": ignore,
        "config_groups": group_of(weights, inputs),
    }  # fmt: skip


@dataclass(frozen=True)
class Method:
    """A method: how it packs what matches, and the declaration over the modules that stay dense."""

    pack: Callable[[str], Mutation]
    declare: Callable[[list[str]], dict[str, Any]]
    scale: str  # the companion of the weight
    renamed: str = ""  # a name that another tool gives it


_INT4 = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 32}
_FP8 = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "channel", "dynamic": False}
_TOKEN = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "token", "dynamic": True}
_NVFP4 = {"num_bits": 4, "type": "float", "symmetric": True, "strategy": "tensor_group", "group_size": 16}


def methods() -> dict[str, Method]:
    """The methods whose healthy and damaged checkpoints are judged in tests."""
    from tests.zoo.mutations import bnb_4bit, fp8_blocks

    return {
        "fp8": Method(
            lambda p: fp8_blocks(p, 32),
            lambda dense: {
                "quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [32, 32],
                "modules_to_not_convert": dense,
            },
            "weight_scale_inv", "weight_scale",
        ),
        "fp8-tensor": Method(
            lambda p: packing(p, lambda o, i: {"weight": ("F8_E4M3", (o, i)), "weight_scale_inv": ("F32", ())}),
            lambda dense: {
                "quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": None,
                "modules_to_not_convert": dense,
            },
            "weight_scale_inv", "weight_scale",
        ),
        "bnb-4bit": Method(
            bnb_4bit,
            lambda dense: {
                "quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                "llm_int8_skip_modules": dense,
            },
            "weight.absmax",
        ),
        "bnb-8bit": Method(
            bnb_8bit,
            lambda dense: {"quant_method": "bitsandbytes", "load_in_8bit": True, "llm_int8_skip_modules": dense},
            "SCB",
        ),
        "gptq": Method(
            gptq,
            lambda dense: {"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": True, "desc_act": False},
            "scales", "scale",
        ),
        "awq": Method(
            awq,
            lambda dense: {
                "quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True, "version": "gemm",
                "modules_to_not_convert": dense,
            },
            "scales", "scale",
        ),
        "pack-quantized": Method(
            pack_quantized, lambda dense: compressed("pack-quantized", _INT4, None, dense), "weight_scale", "scale"
        ),
        "float-quantized": Method(
            scaled_fp8, lambda dense: compressed("float-quantized", _FP8, _TOKEN, dense), "weight_scale", "scale_weight"
        ),
        "int-quantized": Method(
            int8_channels,
            lambda dense: compressed("int-quantized", {**_FP8, "type": "int"}, {**_TOKEN, "type": "int"}, dense),
            "weight_scale",
        ),
        "nvfp4": Method(
            nvfp4,
            lambda dense: compressed("nvfp4-pack-quantized", _NVFP4, {**_NVFP4, "dynamic": "local"}, dense),
            "weight_scale",
        ),
    }  # fmt: skip


@named
def quantized_by(name: str, pattern: str = "*layers.*_proj.weight") -> Mutation:
    """A packable model packed and declared by this method, as its tools leave it."""
    return lambda checkpoint: quantized(checkpoint.mutate(packable()), methods()[name], pattern)


def quantized(dense: Checkpoint, method: Method, pattern: str = "*_proj.weight") -> Checkpoint:
    """The dense checkpoint packed by this method, and declared so that every reader knows what stays dense."""
    packed = set(matching(dense, pattern))
    kept = [
        name.removesuffix(".weight")
        for name, tensor in dense.tensors.items()
        if name.endswith(".weight") and len(tensor.shape) > 1 and name not in packed and "embed" not in name
    ]
    kept = list(
        dict.fromkeys(re.sub(r"(\.experts)\.\d+\..*", r"\1", name) for name in kept)
    )  # one module of the release
    made = dense.mutate(method.pack(pattern))
    return made.with_config(lambda config: config.update(quantization_config=method.declare(kept)))
