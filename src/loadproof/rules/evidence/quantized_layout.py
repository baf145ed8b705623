"""Which quantized layout the stored tensors have, by their companions, dtypes and element counts; the config may lie.

Layouts as bitsandbytes 0.50, compressed-tensors 0.20, GPTQ, AWQ and the FP8 of transformers 5.24 write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from loadproof.config import get
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.dtypes import is_packed
from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.core.tensors import Family
from loadproof.lexicon import companions

CONFIG_PATHS: tuple[JsonPath, ...] = (
    ("quantization_config",),
    ("compression_config",),
    ("text_config", "quantization_config"),
    ("vision_config", "quantization_config"),
    ("llm_config", "quantization_config"),
)
SIGNATURES = tuple((method, re.compile(sign)) for method, sign in companions.SIGNATURES)
COMPANION = re.compile(companions.COMPANION)
# What `quant_method` is called in config.json for each stored layout.
METHOD_WORDS: dict[str, tuple[str, ...]] = {
    "bitsandbytes-4bit": ("bitsandbytes",),
    "bitsandbytes-8bit": ("bitsandbytes",),
    "gptq": ("gptq", "auto-round"),
    "awq": ("awq", "gptq", "auto-round"),
    "modelopt": ("modelopt", "modelopt_fp4"),
    "compressed-tensors": ("compressed-tensors", "modelopt", "fbgemm_fp8", "quark", "fp8"),
    "mxfp4": ("mxfp4",),
    "fp8": ("fp8", "fbgemm_fp8", "compressed-tensors"),
    "quanto": ("quanto",),
    "torchao": ("torchao",),
}


class Layout(Struct, frozen=True):
    """A quantized layout found in the file: its companions, and the packed weights they belong to."""

    method: str
    companions: tuple[Family, ...]
    packed: tuple[Family, ...]

    @property
    def modules(self) -> int:
        return sum(count(family.axes) for family in self.packed) or sum(count(f.axes) for f in self.companions)


def companions_of(case: Case) -> list[Family]:
    """Stored tensors beside packed weights, by name. A tensor that fills a parameter of the class itself is none."""
    real = {found.stored for found in case.outcome.assignments if not is_packed(found.dtype)}
    real |= {family.template for family in case.expectation.families}
    return [f for f in case.manifest.families if COMPANION.search(f.template) and f.template not in real]


def is_companion(row: Row) -> bool:
    """Whether the row is about a stored tensor beside a packed weight, for which the class has no parameter."""
    return row.kind == "unexpected" and COMPANION.search(row.stored or row.template) is not None


def packed_families(case: Case) -> list[Family]:
    """Stored tensors of a dtype that only quantizers write."""
    return [family for family in case.manifest.families if is_packed(family.dtype)]


def stored_layout(case: Case) -> Layout | None:
    """The layout of the stored tensors; None where everything is dense by name and by dtype."""
    families = case.manifest.families
    companions = companions_of(case)
    for method, pattern in SIGNATURES:
        if any(pattern.search(family.template) for family in companions):
            return Layout(method, tuple(companions), tuple(_packed(families)))
    floats8 = [family for family in families if (family.dtype or "").startswith("F8_")]
    return Layout("fp8", tuple(companions), tuple(floats8)) if floats8 else None


def _packed(families: tuple[Family, ...]) -> Iterator[Family]:
    for family in families:
        named = family.template.endswith(companions.PACKED)
        if named or (family.template.endswith((".weight", "_proj")) and is_packed(family.dtype)):
            yield family


def declared(case: Case) -> tuple[JsonPath, dict[str, Any]] | None:
    """Where the config declares a quantization, and what it says; None where it does not."""
    for path in CONFIG_PATHS:
        value = get(case.config, path)
        if isinstance(value, dict):
            return path, value
    return None


def sidecar(case: Case) -> str | None:
    """A file beside the config that declares it instead."""
    names = {file.path for file in case.inventory.files}
    return next(
        (name for name in ("hf_quant_config.json", "quantize_config.json", "quant_config.json") if name in names), None
    )
