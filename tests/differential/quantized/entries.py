"""Quantization configs as the tools write them: every method of the release that can be looked at without a GPU."""

from __future__ import annotations

from typing import Any

SKIPPED = ["lm_head", "model.layers.0.mlp.gate", "model.layers.1.mlp.gate", "model.layers.2.mlp.gate", "visual"]


def weights(**changes: Any) -> dict[str, Any]:
    """The `weights` of a config group: four bits in groups of 128 unless said otherwise."""
    plain = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": True, "dynamic": False}
    return {**plain, **changes}


def activations(**changes: Any) -> dict[str, Any]:
    return {"num_bits": 8, "type": "int", "strategy": "token", "symmetric": True, "dynamic": True, **changes}


def compressed(
    layout: str, scheme: dict[str, Any], inputs: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """An entry of compressed-tensors with one config group for every `Linear`."""
    group = {"targets": ["Linear"], "weights": scheme, "input_activations": inputs, "output_activations": None}
    plain = {"quant_method": "compressed-tensors", "format": layout, "quantization_status": "compressed"}
    return {**plain, "ignore": ["lm_head"], "config_groups": {"group_0": group}, **more}


_F8 = {"num_bits": 8, "type": "float", "group_size": None}
_FOUR = {"quant_method": "bitsandbytes", "load_in_4bit": True}
_FP8 = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
ENTRIES: dict[str, dict[str, Any]] = {
    "fp8-block": {**_FP8, "fmt": "e4m3"},
    "fp8-skip": {**_FP8, "modules_to_not_convert": SKIPPED},
    "fp8-tensor-static": {**_FP8, "activation_scheme": "static", "weight_block_size": None},
    "fp8-ue8m0": {**_FP8, "scale_fmt": "ue8m0"},
    "bnb4-nf4": {**_FOUR, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True,
                 "bnb_4bit_compute_dtype": "bfloat16", "llm_int8_skip_modules": ["lm_head", "merger"]},
    "bnb4-bf16": {**_FOUR, "bnb_4bit_quant_type": "fp4", "bnb_4bit_quant_storage": "bfloat16"},
    "bnb4-offload": {**_FOUR, "llm_int8_enable_fp32_cpu_offload": True},
    "bnb8": {"quant_method": "bitsandbytes", "load_in_8bit": True, "llm_int8_threshold": 6.0},
    "ct-w4a16": compressed("pack-quantized", weights()),
    "ct-w4a16-asym": compressed("pack-quantized", weights(symmetric=False)),
    "ct-w8a8-int": compressed("int-quantized", weights(num_bits=8, strategy="channel", group_size=None), activations()),
    "ct-fp8-dynamic": compressed("float-quantized", weights(**_F8, strategy="channel"), activations(type="float"),
                                 ignore=["lm_head", "re:.*gate$", "re:visual.*"]),
    "ct-fp8-static": compressed("float-quantized", weights(**_F8, strategy="tensor"),
                                activations(type="float", strategy="tensor", dynamic=False)),
    "ct-fp8-block": compressed("float-quantized", weights(**_F8, strategy="block", block_structure=[128, 128]),
                               activations(type="float", strategy="group", group_size=128)),
    "ct-nvfp4": compressed("nvfp4-pack-quantized", weights(type="float", strategy="tensor_group", group_size=16),
                           activations(num_bits=4, type="float", strategy="tensor_group", group_size=16, dynamic="local")),
    "ct-mxfp4": compressed("mxfp4-pack-quantized", weights(type="float", group_size=32)),
    "ct-cache": compressed("float-quantized", weights(**_F8, strategy="channel"), None, kv_cache_scheme={
        "num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True, "dynamic": False}),
    "mxfp4": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]},
    "fbgemm": {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0, "modules_to_not_convert": ["lm_head"]},
    "eetq": {"quant_method": "eetq", "weights": "int8", "modules_to_not_convert": ["lm_head"]},
    "bitnet": {"quant_method": "bitnet", "modules_to_not_convert": ["lm_head"]},
    "bitnet-offline": {"quant_method": "bitnet", "linear_class": "autobitlinear", "quantization_mode": "offline"},
    "higgs": {"quant_method": "higgs", "bits": 4, "p": 2, "group_size": 256, "hadamard_size": 1024,
              "modules_to_not_convert": ["lm_head"]},
    "metal": {"quant_method": "metal", "bits": 4, "group_size": 64},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True},
    "aqlm": {"quant_method": "aqlm", "in_group_size": 8, "out_group_size": 1, "num_codebooks": 1, "nbits_per_codebook": 16},
    "vptq": {"quant_method": "vptq", "modules_to_not_convert": ["lm_head"], "config_for_layers": {},
             "shared_layer_config": {}},
    "quanto": {"quant_method": "quanto", "weights": "int8", "activations": None, "modules_to_not_convert": ["lm_head"]},
    "hqq": {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}}},
    "torchao": {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_version": 2,
                "_data": {"group_size": None}}}},
    "auto-round": {"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": True,
                   "packing_format": "auto_round:auto_gptq"},
    "nvfp4": {"quant_method": "nvfp4"},
    "spqr": {"quant_method": "spqr"},
}  # fmt: skip
