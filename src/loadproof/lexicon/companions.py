"""Quantization: the tensors that stand beside a packed weight, or in its place.

Layouts as bitsandbytes 0.50, compressed-tensors 0.20, GPTQ, AWQ and the quantizers of transformers 5.24 write them.
"""

from __future__ import annotations

import re

from loadproof.lexicon.words import Words, any_of

# What stands below a module, by the last parts of a name, and who writes it.
COMPANIONS: Words = {
    "qweight": "GPTQ, AWQ, FP-Quant",
    "qzeros": "GPTQ, AWQ",
    "scales": "GPTQ, AWQ, MLX, AQLM",
    "g_idx": "GPTQ",
    "SCB": "bitsandbytes 8-bit",
    "weight_format": "bitsandbytes 8-bit",
    "weight.absmax": "bitsandbytes 4-bit",
    "weight.quant_map": "bitsandbytes 4-bit",
    "weight.nested_absmax": "bitsandbytes 4-bit, double quantization",
    "weight.nested_quant_map": "bitsandbytes 4-bit, double quantization",
    "weight_scale": "compressed-tensors, ModelOpt, FBGEMM",
    "weight_scale_inv": "FP8 in blocks (quantizers/quantizer_finegrained_fp8.py)",
    "weight_scale_2": "ModelOpt NVFP4",
    "weight_packed": "compressed-tensors",
    "weight_shape": "compressed-tensors",
    "weight_zero_point": "compressed-tensors, asymmetric",
    "weight_g_idx": "compressed-tensors, activation order",
    "weight_global_scale": "compressed-tensors NVFP4",
    "input_scale": "compressed-tensors, ModelOpt",
    "input_zero_point": "compressed-tensors",
    "input_global_scale": "compressed-tensors NVFP4",
    "input_scale_ub": "FBGEMM",
    "activation_scale": "FP8, static activations",
    "qscale_weight": "Mistral FP8",
    "qscale_act": "Mistral FP8",
    "weight_quantizer.scale": "Quark",
    "dqweight": "FP-Quant",
    "qbiases": "Metal",
    "W_q": "SINQ, HQQ",
    "weight._data": "quanto",
    "weight._scale": "quanto",
    "weight:qdata": "torchao",
    "weight:scale": "torchao",
    "_weight_qdata": "torchao",
    "_weight_scale": "torchao",
    "_weight_scale_and_zero": "torchao",
    "_weight_zero_point": "torchao",
    "_weight_per_tensor_scale": "torchao",
    "_weight_act_pre_scale": "torchao",
}
# Companions too, by names that models give their own parameters as well (`norm.scale`): only beside packed weights.
COMMON: Words = {
    "biases": "MLX",
    "scale": "DeepSeek-V4 FP8",
    "zero_point": "torchao",
    "output_scale": "quanto",
    "codes": "AQLM",
    "codebooks": "AQLM",
    "meta": "SINQ, HQQ",
}
QUANT_STATE = "weight.quant_state."  # bitsandbytes 4-bit; `bitsandbytes__nf4` or `bitsandbytes__fp4` follows
# Behind the name of stacked experts, which are parameters and no modules: `experts.gate_up_proj_blocks` (MXFP4).
STACKED = ("_blocks", "_scales", "_scale_inv", "_weight_scale", "_weight_scale_2", "_weight_packed")
_BEHIND_PROJECTION = ("_packed", "_scale", "_shape", "_input_scale", *STACKED)
KV_SCALES = ("k_scale", "v_scale", "q_scale")  # of the cache, on the attention module
_FOUR_BIT = tuple(word for word, who in COMPANIONS.items() if "4-bit" in who)
_OWN_PACKING = tuple(word for word, who in COMPANIONS.items() if who.startswith(("bitsandbytes", "quanto")))
# The last part of each name, as error texts cite it.
LEAVES = frozenset(word.rpartition(".")[2] for word in (*COMPANIONS, *KV_SCALES, "biases", "blocks"))

_STATE = re.escape(QUANT_STATE) + r".{1,200}"
_ON_STACKED = rf"_proj(?:{any_of(_BEHIND_PROJECTION)})"
# Every name that only a quantized layout stores, whatever the method.
COMPANION = rf"(?:\.(?:{any_of(COMPANIONS)}|{_STATE})|{_ON_STACKED}|\._weight_[a-z_]+)\Z"
ANY_COMPANION = rf"{COMPANION}|\.(?:{any_of(COMMON)})\Z"  # those too that may be a parameter of the model
# As error texts cite them, in names of engines too (`experts.w13_weight_scale`).
# Of bitsandbytes and quanto, which leave them behind where their weights are read as dense ones.
_LEFT = {word.rpartition(".")[2] for word in _OWN_PACKING}
_LEFT_WORDS = any_of([*(word for word in _LEFT if word[0] != "_"), "quant_state"])
LEFT_OVER = rf"(?<![^\W_])(?:{_LEFT_WORDS})(?![^\W_])|\.(?:{any_of(word for word in _LEFT if word[0] == '_')})$"
# Of the methods that keep scales beside (or in place of) a weight.
_SCALED = any_of([word for word in COMPANIONS if word not in _OWN_PACKING and word[0] != "_"] + ["scale_inv"])
SCALED = rf"(?<![^\W_])(?:{_SCALED})(?![^\W_])|\.biases$"
# With one row or column a group of weights.
GROUPED = rf"(?<![^\W_])(?:{any_of(('qzeros', 'scales', 'weight_scale', 'weight_zero_point'))})(?![^\W_])"
# The first that matches names the layout: (method, a companion that only this layout stores).
SIGNATURES: tuple[tuple[str, str], ...] = (
    ("bitsandbytes-4bit", rf"\.(?:{re.escape(QUANT_STATE)}bitsandbytes__(?:nf4|fp4)|{any_of(_FOUR_BIT)})\Z"),
    ("bitsandbytes-8bit", r"\.SCB\Z"),
    ("gptq", r"\.g_idx\Z"),
    ("awq", r"\.qweight\Z"),
    ("modelopt", r"[._]weight_scale_2\Z"),
    ("compressed-tensors", r"(?:\.weight|_proj)_packed\Z"),
    ("mxfp4", r"_proj_blocks\Z"),
    ("fp8", r"(?:\.(?:weight_scale_inv|qscale_weight)|_proj_scale_inv)\Z"),
    ("quanto", r"\.weight\._(?:data|scale)\Z"),
    ("torchao", r"\._weight_(?:qdata|scale|zero_point|scale_and_zero)\Z"),
    ("compressed-tensors", r"\.weight_scale\Z"),
)
PACKED = (".qweight", "_packed", "_proj_blocks", ".weight._data")  # how names of packed weights themselves end
_EVERY = tuple("." + word for word in (*COMPANIONS, *COMMON))


def dense_name(template: str) -> str | None:
    """The name that the dense weight beside this companion would have; None for a name that is no companion's."""
    state = template.find(QUANT_STATE)
    if state >= 0:
        return template[: state + len("weight")]
    for suffix in _EVERY:
        if template.endswith(suffix):
            return template[: 1 - len(suffix)] + "weight"
    for suffix in STACKED:
        if template.endswith(suffix) and len(template) > len(suffix):
            return template[: -len(suffix)]
    return None
