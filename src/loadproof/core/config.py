"""config.json as read, and the layer plan that it or the tensors state."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from loadproof.core.checkpoint import Problem
from loadproof.core.places import NOWHERE, Place

JsonPath = tuple[str | int, ...]


def dotted(path: JsonPath) -> str:
    """``text_config.layer_types[20]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


class ModelConfig(Struct, frozen=True):
    """config.json as read. `text` is kept so that evidence can cite lines (`loadproof.config.line_of`)."""

    path: str | None  # None: there is no config.json
    raw: dict[str, Any]
    text: str = ""
    problems: tuple[Problem, ...] = ()


class LayerPlan(Struct, frozen=True):
    """One word per decoder layer. `letters` is the same as a strip, e.g. ``LLLF``; ``?`` is not known."""

    words: tuple[str | None, ...]
    source: str  # "config" or "tensors"
    field: str = ""  # the config field (dotted path) that decided, or the container path of the tensors
    given: bool = True  # False: a default of the config class
    where: Place = NOWHERE  # of the field, where it is stated
    mixers: tuple[str | None, ...] = ()  # from tensors only: what was recognised in each layer, e.g. "Mamba-2"
