"""Where config.json declares a quantization for transformers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# `get_text_config(decoder=True)` is asked where the whole model says nothing (quantizers/auto.py get_hf_quantizer).
_SECTIONS = ("text_config", "decoder", "generator")


def quantization_entries(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The declarations that are not empty, in the order in which the library looks: whole model, then its text part."""
    sections = [raw, *(part for key in _SECTIONS if isinstance(part := raw.get(key), Mapping))]
    entries = (section.get("quantization_config") for section in sections)
    return [entry for entry in entries if isinstance(entry, Mapping) and entry]


def method_of(entry: Mapping[str, Any]) -> Any:
    """The word that the library looks up for a declaration; None where it has none.

    Source: `AutoHfQuantizer.supports_quant_method`: the load_in flags stand for bitsandbytes, whatever else is said.
    """
    if entry.get("load_in_4bit") or entry.get("load_in_8bit"):
        return "bitsandbytes_4bit" if entry.get("load_in_4bit") else "bitsandbytes_8bit"
    return entry.get("quant_method")


# Methods that take dense tensors for what they are where nothing packed is stored: dequantized or quantized on the way.
TAKE_DENSE = ("fp8", "mxfp8", "bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit")
_SKIP_LISTS = ("modules_to_not_convert", "ignored_layers", "llm_int8_skip_modules")
_PLAIN = re.compile(r"[\w.]+")


def keeps_dense(entry: Mapping[str, Any], modules: Iterable[str]) -> bool:
    """Whether the declaration itself leaves all these modules alone, by entries that are plain names.

    Source: `should_convert_module`: an entry matches from the start up to a module boundary, or as a suffix.
    """
    listed = [entry[key] for key in _SKIP_LISTS if isinstance(entry.get(key), list)]
    keys = {key for names in listed for key in names if isinstance(key, str) and _PLAIN.fullmatch(key)}
    return bool(keys) and all(_is_kept(module, keys, tuple(keys)) for module in modules)


def _is_kept(module: str, keys: set[str], endings: tuple[str, ...]) -> bool:
    parts = module.split(".")
    return module.endswith(endings) or any(".".join(parts[:length]) in keys for length in range(1, len(parts)))
