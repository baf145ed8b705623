"""Where the config declares a quantization, and which tensors only a quantizer writes."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from loadproof.config import get
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.dtypes import is_packed
from loadproof.core.outcome import Row
from loadproof.core.tensors import Family

CONFIG_PATHS: tuple[JsonPath, ...] = (
    ("quantization_config",),
    ("compression_config",),
    ("text_config", "quantization_config"),
    ("vision_config", "quantization_config"),
    ("llm_config", "quantization_config"),
)
SIDECARS = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")


def is_companion_name(template: str) -> bool:
    """Whether only a quantized layout stores a tensor under this name."""
    return _companion().search(template) is not None


@cache
def _companion() -> re.Pattern[str]:
    """The names of all layouts: put together where a checkpoint gives cause to ask."""
    from loadproof.lexicon.companions import COMPANION

    return re.compile(COMPANION)


def is_companion(row: Row) -> bool:
    """Whether the row is about a stored tensor beside a packed weight, for which the class has no parameter."""
    return row.kind == "unexpected" and is_companion_name(row.stored or row.template)


def packed_families(case: Case) -> list[Family]:
    """Stored tensors of a dtype that only quantizers write."""
    return [family for family in case.manifest.families if is_packed(family.dtype)]


def declared(case: Case) -> tuple[JsonPath, dict[str, Any]] | None:
    """Where the config declares a quantization, and what it says; None where it does not."""
    for path in CONFIG_PATHS:
        value = get(case.config, path)
        if isinstance(value, dict):
            return path, value
    return None


def skipped_method(case: Case) -> str | None:
    """The declared method, where this release is known not to act upon it."""
    stated, known = declared(case), case.expectation.quantizers
    word = method_of(stated[1]) if stated is not None else None
    return word if isinstance(word, str) and known is not None and word not in known else None


def sidecar(case: Case) -> str | None:
    """A file beside the config that declares it instead."""
    names = {file.path for file in case.inventory.files}
    return next((name for name in SIDECARS if name in names), None)
