"""What goes wrong with quantized checkpoints: (tensors, config) -> (tensors, config), or None where it does not apply."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.differential.quantized.stored import Tensors, dense

Stored = tuple[Tensors, dict[str, Any]]
Damage = Callable[[str, Tensors, dict[str, Any]], "Stored | None"]
ONE = r"layers\.1\.(?:self_attn\.q_proj|mlp\.experts\.down_proj)"
COMPANION = r"(_scale_inv|_scale|SCB|absmax|quant_map|bitsandbytes__nf4|weight_format|_shape|_scales)$"


def _without(tensors: Tensors, pattern: str) -> Tensors:
    return {name: one for name, one in tensors.items() if not re.search(pattern, name)}


def _entry(config: dict[str, Any], **changes: Any) -> dict[str, Any]:
    entry = {**config["quantization_config"], **changes}
    return {**config, "quantization_config": {k: v for k, v in entry.items() if v is not ...}}


def healthy(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    return tensors, config


def _drop(pattern: str) -> Damage:
    def act(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
        left = _without(tensors, pattern)
        return (left, config) if len(left) < len(tensors) else None

    return act


def without_entry(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    return tensors, {k: v for k, v in config.items() if k != "quantization_config"}


def stale(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    return dense(model)[0], config


def one_dense(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    """A module that is declared packed and is stored as it was."""
    plain = {name: one for name, one in dense(model)[0].items() if re.search(ONE, name) and name.endswith("weight")}
    return ({**_without(tensors, ONE + r"\.(weight|SCB)"), **plain}, config) if plain else None


def prefixed(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    return {f"model.{name}": one for name, one in tensors.items()}, config


def unprefixed(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    return {name.removeprefix("model."): one for name, one in tensors.items()}, config


def cache_scales(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    import torch

    more = {f"model.layers.0.self_attn.{part}_scale": torch.ones(1) for part in "kv"}
    return {**tensors, **more}, config


def scale_renamed(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    new = {re.sub(r"weight_scale_inv$", "weight_scale", name): one for name, one in tensors.items()}
    return (new, config) if new.keys() != tensors.keys() else None


def scale_short_name(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    new = {re.sub(r"weight_scale_inv$", "scale", name): one for name, one in tensors.items()}
    return (new, config) if new.keys() != tensors.keys() else None


def scale_flat(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    return _changed_scale(tensors, config, lambda one: one.reshape(-1))


def scale_of_another_grid(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    import torch

    return _changed_scale(tensors, config, lambda one: torch.ones(3, 3).to(one.dtype))


def _changed_scale(tensors: Tensors, config: dict[str, Any], change: Callable[[Any], Any]) -> Stored | None:
    found = next((n for n in tensors if re.search(ONE + r".*(_scale_inv|_scale|_scales)$", n)), None)
    return None if found is None else ({**tensors, found: change(tensors[found]).contiguous()}, config)


def skip_lies(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    """A packed module on the list of those that are left alone."""
    names = {
        "fp8": "modules_to_not_convert",
        "mxfp4": "modules_to_not_convert",
        "bitsandbytes": "llm_int8_skip_modules",
    }
    method = config["quantization_config"]["quant_method"]
    if method == "compressed-tensors":
        return tensors, _entry(config, ignore=["lm_head", "re:.*layers.1.self_attn.*"])
    return tensors, _entry(config, **{names[method]: ["lm_head", "model.layers.1.self_attn"]})


def unknown_method(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored:
    more = {"load_in_4bit": ..., "load_in_8bit": ...}
    return tensors, _entry(config, quant_method="fp9", **more)


def no_method(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    flags = config["quantization_config"].keys() & {"load_in_4bit", "load_in_8bit"}
    return None if flags else (tensors, _entry(config, quant_method=...))


def static(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    return (tensors, _entry(config, activation_scheme="static")) if "activation_scheme" in str(config) else None


def other_blocks(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    has = "weight_block_size" in str(config)
    return (tensors, _entry(config, weight_block_size=[64, 64])) if has else None


def frozen(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
    has = "quantization_status" in str(config)
    return (tensors, _entry(config, quantization_status="frozen")) if has else None


def _weights(**changes: Any) -> Damage:
    def act(model: str, tensors: Tensors, config: dict[str, Any]) -> Stored | None:
        group = config["quantization_config"].get("config_groups", {}).get("group_0")
        if group is None or group["weights"]["strategy"] != "group":
            return None
        changed = {**group, "weights": {**group["weights"], **changes}}
        return tensors, _entry(config, config_groups={"group_0": changed})

    return act


DAMAGES: dict[str, Damage] = {
    "healthy": healthy,
    "one companion lost": _drop(ONE + r".*" + COMPANION),
    "one of an expert lost": _drop(r"layers\.1\.mlp\.experts\.2\.gate_proj.*" + COMPANION),
    "one of a projection lost": _drop(r"layers\.1\.mlp\.gate_proj.*" + COMPANION),
    "one state lost": _drop(ONE + r".*quant_state"),
    "one absmax lost": _drop(ONE + r".*\.absmax$"),
    "one scale of scales lost": _drop(ONE + r".*\.nested_absmax$"),
    "one code of scales lost": _drop(ONE + r".*\.nested_quant_map$"),
    "all companions lost": _drop(COMPANION + r"|\.absmax$|nested"),
    "one weight lost": _drop(ONE + r"\.(weight|weight_packed)$|experts\.down_proj_blocks$"),
    "one layer lost": _drop(r"layers\.1\.self_attn\."),
    "no declaration": without_entry,
    "all dense": stale,
    "one dense": one_dense,
    "prefix twice": prefixed,
    "no prefix": unprefixed,
    "scales of the cache": cache_scales,
    "scales under another name": scale_renamed,
    "scales under a short name": scale_short_name,
    "a flat scale": scale_flat,
    "a scale of another grid": scale_of_another_grid,
    "a packed module on the list": skip_lies,
    "an unknown method": unknown_method,
    "no method": no_method,
    "static activations": static,
    "other blocks": other_blocks,
    "frozen": frozen,
    "asymmetric": _weights(symmetric=False),
    "other groups": _weights(group_size=64),
    "other bits": _weights(num_bits=8),
}
