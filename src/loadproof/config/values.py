"""Values that no model can be built from: wrong types and sizes that must be refused before anything is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loadproof.config.problems import VALUE, fault, shorten
from loadproof.config.spellings import CANONICAL, value_of
from loadproof.core.checkpoint import Problem
from loadproof.core.config import JsonPath, dotted
from loadproof.core.severity import Severity

MAX_LAYERS = 10_000
MAX_FIELDS = 60_000  # values in the whole file; a head of 21,841 named classes lists them twice
MAX_EXPERTS = 100_000
MAX_TENSORS = 5_000_000
MAX_DIMENSION = 2**48
_LIMITS = {
    "num_hidden_layers": MAX_LAYERS,
    "num_experts": MAX_EXPERTS,
    "hidden_size": MAX_DIMENSION,
    "intermediate_size": MAX_DIMENSION,
    "moe_intermediate_size": MAX_DIMENSION,
    "num_attention_heads": MAX_DIMENSION,
    "num_key_value_heads": MAX_DIMENSION,
    "head_dim": MAX_DIMENSION,
    "vocab_size": MAX_DIMENSION,
}
_DEPTHS = ("depth", "num_layers", "encoder_layers", "decoder_layers", "num_blocks")  # of vision and audio parts
_COUNTED = ("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads")  # elsewhere -1 may mean "default"
# torch.dtype names (torch 2.13); `auto` is an argument of transformers that some configs carry.
_DTYPES = (  # compiled when a config names a dtype
    r"float|float16|float32|float64|half|double|bfloat16|bool|int|short|long|u?int[1-8]|u?int(16|32|64)"
    r"|float8_e4m3fn(uz)?|float8_e5m2(fnuz)?|float8_e8m0fnu|float4_e2m1fn_x2|complex(32|64|128)|c(float|double|half)"
)


def check_values(raw: dict[str, Any], file: str) -> Iterator[Problem]:
    """Problems of the fields that decide sizes and types, in the config and in every config nested in it."""
    if _many_values(raw):
        text = f"{file} holds more than {MAX_FIELDS:,} values, the most that are read"
        yield fault(VALUE, file, "bound", text)
        return
    yield from _names(raw, file)
    yield from _quantization(raw.get("quantization_config"), file)
    for path, fields in nested(raw):
        yield from _sizes(fields, path, file)
        yield from _lists(fields, path, file)
        yield from _dtypes(fields, path, file)


def _many_values(raw: dict[str, Any]) -> bool:
    """Whether objects and lists of the config hold more values than any real one."""
    todo: list[Any] = [raw]
    held = 0
    while todo and held <= MAX_FIELDS:
        value = todo.pop()
        held += len(value)
        inner = value.values() if isinstance(value, dict) else value
        todo.extend(item for item in inner if isinstance(item, (dict, list)))
    return held > MAX_FIELDS


def _quantization(value: Any, file: str) -> Iterator[Problem]:
    """What `AutoQuantizationConfig.from_dict` refuses (quantizers/auto.py:162 of 5.24); null means none."""
    if value is None:
        return
    shown = "quantization_config"
    if not isinstance(value, dict):
        text = f"{shown} = {shorten(value)} is not an object"
        yield fault(VALUE, file, "type", text, found=value, expected=shown, particular=type(value).__name__)
    elif value.get("quant_method") is None and not value.get("load_in_8bit") and not value.get("load_in_4bit"):
        text = f"{shown} names no quant_method"
        yield fault(VALUE, file, "lacks", text, found=value, expected=shown)


def nested(raw: dict[str, Any]) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """The config itself and the objects directly or indirectly under a ``*_config`` key, at most 32 levels deep."""
    pending: list[tuple[JsonPath, dict[str, Any]]] = [((), raw)]
    while pending:
        path, fields = pending.pop()
        yield path, fields
        for key, value in fields.items():
            if isinstance(value, dict) and key.endswith("_config") and key != "quantization_config" and len(path) < 32:
                pending.append(((*path, key), value))


def _sizes(fields: dict[str, Any], path: JsonPath, file: str) -> Iterator[Problem]:
    for key, value in fields.items():
        name = "num_hidden_layers" if key in _DEPTHS and _is_beyond(value) else CANONICAL.get(key)
        if name not in _LIMITS or value is None or isinstance(value, (list, dict)):
            continue
        problem = _size(value, name)
        if problem:
            detail, reason, severity = problem
            shown = dotted((*path, key))
            yield fault(
                VALUE,
                file,
                detail,
                f"{shown} = {shorten(value)} {reason}",
                severity=severity,
                found=value,
                expected=shown,
            )
    yield from _product(fields, path, file)


def _is_beyond(value: Any) -> bool:
    return type(value) is int and value > MAX_LAYERS


def _size(value: Any, name: str) -> tuple[str, str, Severity] | None:
    """(kind, reason, severity) of a size that is none, None for a usable one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "type", f"is a {'boolean' if isinstance(value, bool) else 'string'}, not a number", "error"
    if value != value or value in (float("inf"), float("-inf")):
        return "type", "is not a finite number", "error"
    if value > _LIMITS[name]:
        return "bound", f"is more than {_LIMITS[name]:,}, the most that is expanded", "error"
    if isinstance(value, float) and value != int(value):
        return "type", "is not a whole number", "warning"
    return ("type", "is negative", "error") if value < 0 and name in _COUNTED else None


def _product(fields: dict[str, Any], path: JsonPath, file: str) -> Iterator[Problem]:
    """Layers times experts bounds the number of expected tensors."""
    layers, experts = value_of(fields, "num_hidden_layers"), value_of(fields, "num_experts")
    if type(layers) is not int or type(experts) is not int or layers > MAX_LAYERS or experts > MAX_EXPERTS:
        return
    if layers * experts > MAX_TENSORS:
        text = f"{layers:,} layers of {experts:,} experts are more than {MAX_TENSORS:,} tensors"
        yield fault(VALUE, file, "bound", text, expected=dotted((*path, "num_experts")))


def _lists(fields: dict[str, Any], path: JsonPath, file: str) -> Iterator[Problem]:
    for key in ("layer_types", "layers_block_type", "mlp_layer_types"):
        value, shown = fields.get(key), dotted((*path, key))
        if value is None:
            continue
        if not isinstance(value, list):
            yield fault(VALUE, file, "type", f"{shown} = {shorten(value)} is not a list", found=value, expected=shown)
        elif len(value) > MAX_LAYERS:
            text = f"{shown} has {len(value):,} entries, more than {MAX_LAYERS:,} layers"
            yield fault(VALUE, file, "bound", text, found=value, expected=shown)


def _dtypes(fields: dict[str, Any], path: JsonPath, file: str) -> Iterator[Problem]:
    for key in ("dtype", "torch_dtype"):
        value = fields.get(key)
        if isinstance(value, str) and not re.fullmatch(_DTYPES, value.removeprefix("torch.")):
            shown = dotted((*path, key))
            is_read = key == "dtype" or "dtype" not in fields
            text = f"{shown} = {shorten(value)} is not a torch dtype"
            yield fault(
                VALUE, file, "dtype", text, found=value, expected=shown, particular=f"torch.{value}" if is_read else ""
            )


def _names(raw: dict[str, Any], file: str) -> Iterator[Problem]:
    model_type = raw.get("model_type")
    if model_type is not None and not (isinstance(model_type, str) and _is_word(model_type)):
        yield fault(
            VALUE,
            file,
            "model-type",
            f"model_type = {shorten(model_type)} is not a name",
            found=model_type,
            expected="model_type",
        )


def _is_word(text: str) -> bool:
    return len(text) <= 200 and re.fullmatch(r"\w[\w. +-]*", text) is not None
