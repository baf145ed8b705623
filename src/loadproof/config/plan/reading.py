"""The layer plan that a config states, whatever its spelling, and how two plans differ."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.access import text_config, text_config_path
from loadproof.config.lines import where
from loadproof.config.plan.codec import Words, depth_of
from loadproof.config.plan.spellings import LISTS, SPELLINGS, read_words
from loadproof.config.plan.words import contradict
from loadproof.core.config import JsonPath, LayerPlan, ModelConfig, dotted
from loadproof.core.expectation import Expectation


class PlanDiff(Struct, frozen=True):
    """Where two plans disagree. `lengths` counts the layers of each."""

    layers: tuple[int, ...]  # layers of which both speak and which cannot be the same
    lengths: tuple[int, int]
    undecided: tuple[int, ...]  # layers on which one of them says nothing

    @property
    def same(self) -> bool:
        return not self.layers and self.lengths[0] == self.lengths[1]


def plan_from_config(config: ModelConfig, expectation: Expectation | None = None) -> LayerPlan | None:
    """The plan that the class follows; None where nothing is said of one (one kind of layer only).

    The effective config of the expectation decides (it holds the defaults and rewrites of the class); the file tells
    which field gave the plan, `given` False says that none did.
    """
    effective = text_fields(expectation.config) if expectation is not None else {}
    words = _first_words(effective)
    stated = stated_plans(config)
    if words is None:
        return _placed(stated[0], config) if stated else None
    source = _deciding(stated, words)
    if source is not None:
        return _placed(replace(source, words=words), config)
    name = next(name for name in SPELLINGS if read_words(effective, name))
    return LayerPlan(words, "config", dotted((*text_config_path(config), name)), False)


def stated_plans(config: ModelConfig) -> list[LayerPlan]:
    """One plan for every spelling that the file itself holds, the one a class prefers first; `where` is left empty."""
    path, fields = text_config_path(config), text_config(config)
    found = [(name, read_words(fields, name)) for name in SPELLINGS]
    return [LayerPlan(words, "config", dotted((*path, name))) for name, words in found if words]


def config_depth(config: ModelConfig, expectation: Expectation | None = None) -> int | None:
    """Number of decoder layers after the defaults of the class; of the file alone where those are unknown."""
    effective = depth_of(text_fields(expectation.config)) if expectation is not None else None
    return effective if effective is not None else depth_of(text_config(config))


def diff_plans(first: LayerPlan, second: LayerPlan) -> PlanDiff:
    """Layer by layer; words that build the same tensors (full and sliding attention) do not differ."""
    pairs = list(zip(first.words, second.words, strict=False))
    return PlanDiff(
        tuple(layer for layer, (a, b) in enumerate(pairs) if contradict(a, b)),
        (len(first.words), len(second.words)),
        tuple(layer for layer, (a, b) in enumerate(pairs) if a is None or b is None),
    )


def text_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """The decoder's part of an effective config."""
    return text_config(ModelConfig(None, raw))


def field_path(plan: LayerPlan) -> JsonPath:
    """The path of the field that decided, for `where` and for edits."""
    return tuple(plan.field.split("."))


def _first_words(fields: dict[str, Any]) -> Words | None:
    return next((words for name in SPELLINGS if (words := read_words(fields, name))), None)


def _deciding(stated: list[LayerPlan], words: Words) -> LayerPlan | None:
    """The stated plan that gave these words: an equal one, else a list by name (classes rewrite single entries)."""
    equal = next((plan for plan in stated if plan.words == words), None)
    return equal or next((plan for plan in stated if plan.field.endswith(LISTS)), None)


def _placed(plan: LayerPlan, config: ModelConfig) -> LayerPlan:
    return replace(plan, where=where(config, field_path(plan)))
