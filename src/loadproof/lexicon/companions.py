"""Quantization: the tensors that stand beside a packed weight, or in its place.

Their names are those of the layouts (`lexicon/layouts/`), and of methods whose shapes are not written down there.
"""

from __future__ import annotations

import re

from loadproof.lexicon.layouts import layouts
from loadproof.lexicon.words import Words, any_of

QUANT_STATE = "weight.quant_state."  # bitsandbytes 4-bit; `bitsandbytes__nf4` or `bitsandbytes__fp4` follows
# Companions too, by names that models give their own parameters as well (`norm.scale`): only beside packed weights.
COMMON: Words = {
    "biases": "MLX",
    "scale": "DeepSeek-V4 FP8",
    "zero": "HQQ",
    "zero_point": "torchao",
    "global_scale": "MLX nvfp4",
    "output_scale": "quanto",
    "codes": "AQLM",
    "codebooks": "AQLM",
    "tables": "HIGGS",
    "tables2": "HIGGS",
    "meta": "SINQ, HQQ",
}
_WITHOUT_LAYOUT: Words = {
    "weight_quantizer.scale": "Quark",
    "dqweight": "FP-Quant",
    "weight:qdata": "torchao",
    "weight:scale": "torchao",
}


def _of_layouts() -> dict[str, str]:
    """What stands below a module, by the last parts of a name, and who writes it."""
    found: dict[str, list[str]] = {}
    for layout in layouts().values():
        for word in () if layout.stacked else (*layout.tensors, *layout.aliases):
            if word not in ("weight", *COMMON) and not word.startswith(QUANT_STATE):
                found.setdefault(word, []).append(layout.title)
    return {word: ", ".join(dict.fromkeys(titles)) for word, titles in found.items()}


COMPANIONS: Words = {**_of_layouts(), **_WITHOUT_LAYOUT}
# Behind the name of stacked experts, which are parameters and no modules: `experts.gate_up_proj_blocks` (MXFP4).
STACKED = ("_blocks", "_scales", "_scale_inv", "_weight_scale", "_weight_scale_2", "_weight_packed")
_BEHIND_PROJECTION = ("_packed", "_scale", "_shape", "_input_scale", *STACKED)
KV_SCALES = ("k_scale", "v_scale", "q_scale")  # of the cache, on the attention module
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
