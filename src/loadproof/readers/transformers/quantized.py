"""Checkpoints that a quantizer owns: judge what is dense, set the packed tensors aside.

A quantizer swaps modules before names are taken, so packed weights and their companions cannot be judged by the class's
own parameters. Each packed module is replaced by a *stand-in*, its dense weight with an unknown shape: that the module
has its weight is then known, and every other tensor is judged as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core.boxes import subtract_all
from loadproof.core.checkpoint import Manifest
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.families import count
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Axes, Family

# utils/quantization_config.py and quantizers/auto.py of 5.24; a word outside is skipped by the library with a warning.
METHODS = frozenset(
    (
        "bitsandbytes",
        *("bitsandbytes_4bit", "bitsandbytes_8bit", "gptq", "awq", "aqlm", "vptq", "quanto", "eetq", "higgs", "hqq"),
        *("compressed-tensors", "fbgemm_fp8", "torchao", "gguf", "bitnet", "spqr", "fp8", "quark", "fp_quant"),
        *("auto-round", "mxfp4", "nvfp4", "mxfp8", "metal", "fouroversix", "sinq", "gemma", "modelopt"),
    )
)
NO_METHOD = (
    "ValueError: The model's quantization config from the arguments has no `quant_method` attribute. Make sure that "
    "the model has been correctly quantized"
)
STAND_IN = "packed"  # dtype of a stand-in
# What stands below a module beside (or instead of) its dense weight, by the last parts of a name.
COMPANIONS = (
    *("qweight", "qzeros", "scales", "g_idx", "biases", "SCB", "weight_format", "weight_scale", "weight_scale_inv"),
    *("weight_scale_2", "weight_packed", "weight_shape", "weight_zero_point", "weight_g_idx", "weight_global_scale"),
    *("input_scale", "input_zero_point", "input_global_scale", "output_scale", "activation_scale", "input_scale_ub"),
    *("weight.absmax", "weight.quant_map", "weight.nested_absmax", "weight.nested_quant_map", "weight._data"),
    *("weight._scale", "weight:qdata", "weight:scale", "_weight_qdata", "_weight_scale", "_weight_scale_and_zero"),
    *("_weight_zero_point", "_weight_per_tensor_scale", "_weight_act_pre_scale", "codes", "codebooks", "W_q", "meta"),
    *("qscale_weight", "qscale_act", "weight_quantizer.scale", "dqweight", "qbiases", "scale", "zero_point"),
)
_QUANT_STATE = "weight.quant_state."
_BLOCKS = ("_blocks", "_scales", "_scale_inv", "_weight_scale", "_weight_scale_2", "_weight_packed")
_PACKED = frozenset(("U8", "I8", "I32", "U32", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "I16", "U16"))


class Declared(Struct, frozen=True):
    """What config.json says: a method the library knows, or the exception it raises over the entry."""

    method: str | None = None
    error: str | None = None


def declared(config: ModelConfig) -> Declared:
    """The quantization method that the library would take from the config, its text part included."""
    for section in (config.raw, *_text_sections(config.raw)):
        entry = section.get("quantization_config")
        if isinstance(entry, Mapping) and entry:
            return _method(entry)
    return Declared()


def _text_sections(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [part for key in ("text_config", "decoder", "generator") if isinstance(part := raw.get(key), Mapping)]


def _method(entry: Mapping[str, Any]) -> Declared:
    if entry.get("load_in_4bit") or entry.get("load_in_8bit"):
        return Declared("bitsandbytes")
    method = entry.get("quant_method")
    if method is None:
        return Declared(error=NO_METHOD)
    return Declared(str(method) if method in METHODS else None)


class Sorted(Struct, frozen=True):
    """A manifest with stand-ins for its packed modules, and the families they stand for."""

    manifest: Manifest
    packed: tuple[Family, ...]


def set_aside(manifest: Manifest) -> Sorted:
    """Replace packed modules by stand-ins."""
    modules: dict[str, list[Axes]] = {}
    dense, packed = [], []
    for family in manifest.families:
        weight = _dense_name(family)
        if weight is None:
            dense.append(family)
        else:
            packed.append(family)
            boxes = modules.setdefault(weight, [])
            boxes += subtract_all([family.axes], boxes)
    kept, more = _without_packed(dense, modules)
    stand_ins = [Family(name, box, STAND_IN, None) for name, boxes in modules.items() for box in boxes]
    return Sorted(replace(manifest, families=(*kept, *stand_ins)), (*packed, *more))


def _dense_name(family: Family) -> str | None:
    """The name that the dense weight of this packed tensor would have; None for a tensor that is dense itself."""
    template = family.template
    state = template.find(_QUANT_STATE)
    if state >= 0:
        return template[: state + len("weight")]
    for suffix in COMPANIONS:
        if template.endswith("." + suffix):
            return template[: -len(suffix)] + "weight"
    for suffix in _BLOCKS:
        if template.endswith(suffix) and len(template) > len(suffix):
            return template[: -len(suffix)]
    if family.dtype in _PACKED and template.endswith(".weight"):
        return template
    return None


def _without_packed(dense: Iterable[Family], modules: dict[str, list[Axes]]) -> tuple[list[Family], list[Family]]:
    """(dense families, the weights that have companions: FP8 and int8 keep the name `weight`)."""
    kept, packed = [], []
    for family in dense:
        taken = modules.get(family.template, [])
        if taken:
            outside = subtract_all([family.axes], taken)
            inside = subtract_all([family.axes], outside)
            packed += [replace(family, axes=box) for box in inside]
            kept += [replace(family, axes=box) for box in outside]
        else:
            kept.append(family)
    return kept, packed


def judge(outcome: Outcome, packed: tuple[Family, ...], method: str, names: frozenset[str]) -> Outcome:
    """The outcome of the dense part; what concerns stand-ins is left unjudged. `names`: templates of the model."""
    modules = {name.rpartition(".")[0] for name in names}
    rows = tuple(row for row in outcome.rows if not _is_unsure(row, modules))
    tensors = sum(count(family.axes) for family in packed)
    raises = any(row.kind in ("mismatched", "conversion") for row in rows)
    why = f"quantized with {method}: packed tensors are not judged yet"
    return replace(
        outcome,
        rows=rows,
        assignments=tuple(a for a in outcome.assignments if a.dtype != STAND_IN),
        dropped=tuple(row for row in outcome.dropped if row.dtype != STAND_IN),
        ignored=tuple(row for row in outcome.ignored if row.dtype != STAND_IN),
        raises=raises,
        error=outcome.error if raises else None,
        quantized=packed,
        skipped=(*outcome.skipped, Skip(f"{tensors} packed tensors and companions", why)),
        inconclusive=why,
    )


def _is_unsure(row: Row, modules: set[str]) -> bool:
    """A row about a stand-in, or an unknown tensor in a module of the model (some companion we do not know)."""
    if row.dtype == STAND_IN:
        return True
    return row.kind == "unexpected" and row.template.rpartition(".")[0] in modules
