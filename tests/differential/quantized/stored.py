"""Tiny quantized checkpoints: the dense model as the library saves it, packed by the real tools or by the format's facts."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.differential.quantized.entries import ENTRIES
from tests.differential.quantized.models import CLASSES, config_of

Tensors = dict[str, Any]
KEPT = ("lm_head", "embed", "router", "mlp.gate.", "norm")  # never packed


@cache
def dense(model: str) -> tuple[Tensors, dict[str, Any]]:
    """(tensors, config) of a random model, as `save_pretrained` writes them."""
    import torch
    import transformers
    from safetensors.torch import load_file

    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        model, **{k: v for k, v in config_of(model).items() if k != "model_type"}
    )
    made = getattr(transformers, CLASSES[model])(config).to(torch.bfloat16)
    with tempfile.TemporaryDirectory() as folder:
        made.save_pretrained(folder)
        return load_file(f"{folder}/model.safetensors"), json.loads((Path(folder) / "config.json").read_text())


def packable(tensors: Tensors, experts: bool = True) -> list[str]:
    return [
        name
        for name, one in tensors.items()
        if name.endswith(".weight") and one.ndim == 2 and not any(k in name for k in KEPT)
        and (experts or ".experts." not in name)
    ]  # fmt: skip


def fp8(tensors: Tensors, block: int = 128) -> Tensors:
    """A scale for every block of every matrix."""
    import torch

    out = dict(tensors)
    for name in packable(tensors):
        weight = tensors[name].float()
        rows, columns = weight.shape
        blocks = weight.reshape(rows // block, block, columns // block, block)
        scales = blocks.abs().amax(dim=(1, 3)) / 448
        packed = blocks / scales.clamp(min=1e-12)[:, None, :, None]
        out[name] = packed.reshape(rows, columns).to(torch.float8_e4m3fn)
        out[f"{name}_scale_inv"] = scales
    return out


def bnb4(tensors: Tensors) -> Tensors:
    import bitsandbytes

    out = dict(tensors)
    for name in packable(tensors, experts=False):
        packed, state = bitsandbytes.functional.quantize_4bit(tensors[name], quant_type="nf4", compress_statistics=True)
        out[name] = packed
        out |= {f"{name}.{part}": value for part, value in state.as_dict(packed=True).items()}
    return out


def bnb8(tensors: Tensors) -> Tensors:
    import bitsandbytes
    import torch

    out = dict(tensors)
    for name in packable(tensors, experts=False):
        packed, scales, _ = bitsandbytes.functional.int8_vectorwise_quant(tensors[name].half())
        module = name.removesuffix("weight")
        out |= {name: packed, f"{module}SCB": scales, f"{module}weight_format": torch.tensor(0, dtype=torch.uint8)}
    return out


def compressed(tensors: Tensors, entry: dict[str, Any]) -> Tensors:
    """Module by module through the compressor that the package itself would pick."""
    import torch
    from compressed_tensors.compressors import compress_module
    from compressed_tensors.quantization import QuantizationConfig, initialize_module_for_quantization

    fields = ("config_groups", "format", "quantization_status", "ignore")
    scheme = QuantizationConfig.model_validate({k: v for k, v in entry.items() if k in fields}).config_groups["group_0"]
    out = dict(tensors)
    for name in packable(tensors):
        rows, columns = tensors[name].shape
        module = torch.nn.Linear(columns, rows, bias=False, dtype=torch.bfloat16)
        module.weight.data = tensors[name].clone()
        module.quantization_scheme = scheme.model_copy()
        initialize_module_for_quantization(module, force_zero_point=False)
        _fill_scales(module, scheme.weights)
        compress_module(module, entry["format"])
        del out[name]
        out |= {name.removesuffix("weight") + part: value.data for part, value in module.named_parameters()}
    return out


def _fill_scales(module: Any, weights: Any) -> None:
    """Scales that cover the weight, so that what is unpacked is near it."""
    import torch

    largest = 448 if weights.type == "float" else 2 ** (weights.num_bits - 1) - 1
    scale, weight = module.weight_scale, module.weight.data.float()
    if scale.numel() == 1:
        found = weight.abs().amax().reshape(scale.shape)
    elif scale.shape[-1] == 1:
        found = weight.abs().amax(dim=1, keepdim=True)
    else:
        found = weight.reshape(weight.shape[0], scale.shape[-1], -1).abs().amax(dim=-1)
    scale.data = (found / largest).to(scale.dtype)
    if hasattr(module, "weight_zero_point"):
        module.weight_zero_point.data = torch.zeros_like(module.weight_zero_point)


def mxfp4(tensors: Tensors) -> Tensors:
    """Experts of gpt_oss: random blocks and scales of the right shapes, as no writer runs without a GPU."""
    import torch

    out = dict(tensors)
    for name, one in tensors.items():
        if name.endswith(("gate_up_proj", "down_proj")) and one.ndim == 3:
            experts, columns, rows = one.shape
            del out[name]
            out[f"{name}_blocks"] = torch.randint(0, 255, (experts, rows, columns // 32, 16), dtype=torch.uint8)
            out[f"{name}_scales"] = torch.randint(110, 125, (experts, rows, columns // 32), dtype=torch.uint8)
    return out


LAYOUTS = ("fp8", "bnb4", "bnb8", "ct-w4a16", "ct-w8a8", "ct-fp8", "mxfp4")
_ENTRY = {"fp8": "fp8-block", "bnb4": "bnb4-nf4", "bnb8": "bnb8", "ct-w4a16": "ct-w4a16", "ct-w8a8": "ct-w8a8-int",
          "ct-fp8": "ct-fp8-dynamic", "mxfp4": "mxfp4"}  # fmt: skip


@cache
def packed(model: str, layout: str) -> tuple[Tensors, dict[str, Any]]:
    """(tensors, config) of the quantized model."""
    tensors, config = dense(model)
    entry = {**ENTRIES[_ENTRY[layout]]}
    if layout == "fp8":
        entry["modules_to_not_convert"] = ["lm_head"]
    write = {"fp8": fp8, "bnb4": bnb4, "bnb8": bnb8, "mxfp4": mxfp4}.get(layout)
    made = compressed(tensors, entry) if write is None else write(tensors)
    return made, {**config, "quantization_config": entry}
