"""Layer plans from every spelling a config knows, and how two plans differ."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loadproof.config import diff_plans, plan_from_config, stated_plans
from loadproof.config.plan.spellings import SPELLINGS, read_words
from loadproof.core.config import LayerPlan, ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.layer_letters import letters
from loadproof.core.places import Place

DEPTH = {"num_hidden_layers": 6}
KIMI = {"full_attn_layers": [3, 6], "kda_layers": [1, 2, 4, 5]}
FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("layer_types", {"layer_types": ["mamba", "attention", "conv", "sliding_attention"]}, "LFCS"),
    ("layers_block_type", {"layers_block_type": ["mamba", "hybrid", "moe", "mlp"]}, "LHED"),
    ("hybrid_override_pattern", {"hybrid_override_pattern": "ME|*-M/*E"}, "LEFDL"),
    ("block_types", {"block_types": ["recurrent", "recurrent", "attention"], **DEPTH}, "LLSLLS"),
    ("attn_type_list", {"attn_type_list": [0, 1, 0]}, "LFL"),
    ("linear_attn_config", {"linear_attn_config": KIMI, **DEPTH}, "LLFLLF"),
    ("full_attn_idxs", {"full_attn_idxs": [2, 5], **DEPTH}, "CCFCCF"),
    ("attn_layer_indices", {"attn_layer_indices": [0], **DEPTH}, "FLLLLL"),
    ("attn_layer_period", {"attn_layer_period": 3, "attn_layer_offset": 1, **DEPTH}, "LFLLFL"),
    ("layer_group_size", {"layer_group_size": 2, **DEPTH}, "LFLFLF"),
    ("full_attention_interval", {"full_attention_interval": 4, **DEPTH}, "LLLFLL"),
    ("compress_ratios", {"compress_ratios": [0, 4, 128, 4]}, "SPQP"),
    ("cross_attention_layers", {"cross_attention_layers": [3], **DEPTH}, "FFFXFF"),
    ("local_layer_ids", {"local_layer_ids": [1], **DEPTH}, "HhHHHH"),
    ("sliding_window_pattern", {"sliding_window_pattern": 3, **DEPTH}, "SSFSSF"),
    ("max_window_layers", {"max_window_layers": 4, "use_sliding_window": True, "sliding_window": 8, **DEPTH}, "FFFFSS"),
]  # fmt: skip


def config(raw: dict[str, Any]) -> ModelConfig:
    return ModelConfig("config.json", raw, json.dumps(raw, indent=2))


def effective(fields: dict[str, Any]) -> Expectation:
    return Expectation("transformers", "5.24.0", "TinyForCausalLM", "tiny", "installed", config=fields)


def test_every_spelling_has_an_example() -> None:
    assert {name for name, _, _ in FIELDS} == set(SPELLINGS)


@pytest.mark.parametrize(("name", "fields", "strip"), FIELDS, ids=[name for name, _, _ in FIELDS])
def test_spelling(name: str, fields: dict[str, Any], strip: str) -> None:
    words = read_words(fields, name)
    assert words is not None
    assert letters(LayerPlan(words, "config")) == strip


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("value", [None, "?", [None], [[]], {"a": 1}, -1, 0, 1.5, [10**9], "", []])
def test_a_malformed_field_says_nothing_and_never_raises(name: str, value: Any) -> None:
    words = read_words({name: value, "attn_layer_offset": 0, **DEPTH}, name)
    assert words is None or len(words) <= 6


def test_kimi_lists_count_from_one_and_zero_writes_the_last_layer() -> None:
    fields = {"linear_attn_config": {"full_attn_layers": [3], "kda_layers": [0, 1, 2]}, "num_hidden_layers": 4}
    assert read_words(fields, "linear_attn_config") == (
        "linear_attention", "linear_attention", "full_attention", "linear_attention",
    )  # fmt: skip


def test_given_field_is_named_with_its_line() -> None:
    plan = plan_from_config(
        config({"text_config": {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"]}})
    )
    assert plan is not None
    assert (plan.field, plan.given, plan.where) == ("text_config.layer_types", True, Place("config.json", 4))


def test_default_of_the_class_is_not_given() -> None:
    words = ["linear_attention", "full_attention"]
    plan = plan_from_config(config({"num_hidden_layers": 2}), effective({"num_hidden_layers": 2, "layer_types": words}))
    assert plan is not None
    assert (letters(plan), plan.given, plan.field) == ("LF", False, "layer_types")


def test_class_rewrite_wins_over_the_file() -> None:
    raw = {"num_hidden_layers": 2, "layer_types": ["sliding_attention", "sliding_attention"]}
    rewritten = {"num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]}
    plan = plan_from_config(config(raw), effective(rewritten))
    assert plan is not None
    assert (letters(plan), plan.given) == ("SF", True)


def test_no_plan_where_every_layer_is_alike() -> None:
    assert plan_from_config(config({"num_hidden_layers": 2}), effective({"num_hidden_layers": 2})) is None


def test_two_spellings_are_both_stated() -> None:
    raw = {"num_hidden_layers": 2, "layer_types": ["full_attention"] * 2, "full_attention_interval": 2}
    assert [plan.field for plan in stated_plans(config(raw))] == ["layer_types", "full_attention_interval"]


def plan(*words: str | None) -> LayerPlan:
    return LayerPlan(words, "tensors")


def test_sliding_and_full_attention_do_not_differ() -> None:
    assert diff_plans(plan("sliding_attention", "indexed_attention"), plan("full_attention", "full_attention")).same


def test_diff_names_layers_lengths_and_what_is_not_known() -> None:
    found = diff_plans(plan("linear_attention", "conv", None), plan("full_attention", "conv", "conv", "conv"))
    assert (found.layers, found.lengths, found.undecided) == ((0,), (3, 4), (2,))
