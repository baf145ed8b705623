"""The numbers that a declared quantization states for its modules: bits, group, block, symmetric, static activations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from loadproof.config.patterns import MAX_PATTERN, may_explode
from loadproof.core.config import JsonPath
from loadproof.lexicon.layouts import of_method

# Where the methods keep it: quantization_config of transformers 5.24, by the class of each word.
_BITS = ("bits", "w_bit", "num_bits")
_GROUP = ("group_size", "q_group_size")


class Number(Struct, frozen=True):
    """A value of the declaration, and where it stands below it."""

    value: Any
    path: JsonPath


class Scheme(Struct, frozen=True):
    """What is stated for the modules of `targets`; None where the declaration says nothing of it."""

    targets: tuple[str, ...] = ()  # names and `re:` patterns; empty: every module of the kinds in `kinds`
    kinds: tuple[str, ...] = ()  # names of module classes, of compressed-tensors
    format: str | None = None
    bits: Number | None = None
    group: Number | None = None
    block: Number | None = None
    symmetric: Number | None = None
    static: Number | None = None  # whether scales of the activations are stored


def schemes(method: str, entry: Mapping[str, Any]) -> tuple[Scheme, ...]:
    """The schemes of a declaration in the order in which a module takes its own; none where patterns override them."""
    if any(entry.get(field) for layout in of_method(method) for field in layout.overrides):
        return ()
    if method == "compressed-tensors":
        return tuple(_groups(entry))
    block, group = _number(entry, "weight_block_size"), _number(entry, *_GROUP)
    if method == "fp8":
        # left out, it is [128, 128] (utils/quantization_config.py FineGrainedFP8Config)
        block = block or Number([128, 128], ("weight_block_size",))
        activation = _number(entry, "activation_scheme")
        static = Number(activation.value == "static", activation.path) if activation else None
        return (Scheme(block=block, static=static),)
    return (Scheme(bits=_number(entry, *_BITS), group=group, symmetric=_number(entry, "sym")),)


def names_module(target: str, name: str) -> bool:
    """Whether a target of compressed-tensors is this module: by its whole name, or by a pattern from the start.

    Source: compressed_tensors/utils/match.py. A pattern that may take for ever, or is none, names nothing.
    """
    if not target.startswith("re:"):
        return target == name
    pattern = target[3:]
    if len(pattern) > MAX_PATTERN or may_explode(pattern):
        return False
    try:
        return re.match(pattern, name) is not None
    except re.error:
        return False


def _groups(entry: Mapping[str, Any]) -> Iterator[Scheme]:
    groups = entry.get("config_groups")
    for key, group in groups.items() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping):
            yield _group(("config_groups", key), group, weights, entry)


def _group(path: JsonPath, group: Mapping[str, Any], weights: Mapping[str, Any], entry: Mapping[str, Any]) -> Scheme:
    targets = [target for target in group.get("targets") or () if isinstance(target, str)]
    kinds = tuple(target for target in targets if re.fullmatch(r"[A-Z]\w*", target))
    inputs = group.get("input_activations")
    static = isinstance(inputs, Mapping) and not inputs.get("dynamic")
    inner = (*path, "weights")
    size = _number(weights, "group_size", under=inner)
    if weights.get("strategy") in ("channel", "tensor", "block"):
        size = None if size is None else Number(-1, size.path)
    return Scheme(
        targets=tuple(target for target in targets if target not in kinds),
        kinds=kinds,
        format=str(group.get("format") or entry.get("format") or "") or None,
        bits=_number(weights, "num_bits", under=inner),
        group=size,
        block=_number(weights, "block_structure", under=inner),
        symmetric=_number(weights, "symmetric", under=inner),
        static=Number(static, (*path, "input_activations")) if isinstance(inputs, Mapping) else None,
    )


def _number(fields: Mapping[str, Any], *names: str, under: JsonPath = ()) -> Number | None:
    """The first of these fields that is there."""
    return next((Number(fields[name], (*under, name)) for name in names if name in fields), None)
