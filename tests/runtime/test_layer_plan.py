"""LayerPlan and the mapper on real-looking names: suffixes, prefixes, both vocabularies, every kind of default."""

import pytest
import torch

from loadproof.runtime import (
    LayerPlan,
    LayerPlanError,
    build_state_dict_mapper,
    infer_layer_types_from_checkpoint,
    map_weights_safe,
)
from tests.zoo import build

ATTENTION = ("q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight")
DELTA = ("in_proj_qkv.weight", "A_log", "out_proj.weight")


def names(words, prefix="model."):
    """{name: tensor} with one mixer and one MLP a layer."""
    found = {f"{prefix}embed_tokens.weight": torch.ones(4, 2)}
    for i, word in enumerate(words):
        leaves = [f"linear_attn.{n}" for n in DELTA] if word == "L" else [f"self_attn.{n}" for n in ATTENTION]
        shapes = {"A_log": (3,)}
        for leaf in (*leaves, "mlp.up_proj.weight"):
            found[f"{prefix}layers.{i}.{leaf}"] = torch.full(shapes.get(leaf.split(".")[-1], (2, 2)), float(i))
    return found


@pytest.mark.parametrize("prefix", ["", "model.", "language_model.model.", "model.language_model."])
def test_types_are_inferred_by_segment_under_any_prefix(prefix):
    assert infer_layer_types_from_checkpoint(names("LLF", prefix)) == {
        0: "linear_attn",
        1: "linear_attn",
        2: "full_attn",
    }


def test_every_layer_in_disagreement_is_named():
    plan = LayerPlan(linear_attn_layers={0, 1, 3}, num_layers=5)
    with pytest.raises(LayerPlanError) as error:
        plan.validate_against_checkpoint(names("LFFFL"))
    assert error.value.missing == (1, 3)
    assert "layer(s) 1, 3" in str(error.value)
    assert "full attention for layer(s) 4" in str(error.value)


def test_error_is_value_error_and_key_error():
    with pytest.raises(KeyError) as error:
        LayerPlan({0}, 1).validate_against_checkpoint(names("F"))
    assert isinstance(error.value, ValueError)
    assert not str(error.value).startswith("'")


@pytest.mark.parametrize(
    "words",
    [
        ["linear_attention", "full_attention"],
        ["linear_attn", "full_attn"],
        ["mamba", "attention"],
        ["conv", "full_attention"],
    ],
)
def test_every_vocabulary_is_understood(words):
    plan = LayerPlan.from_layer_types(words)
    assert plan.linear_attn_layers == {0}
    assert plan.type_of(0) == words[0]


def test_indices_outside_the_depth_are_refused():
    with pytest.raises(LayerPlanError, match="0-based"):
        LayerPlan({21}, 21)
    with pytest.raises(IndexError):
        LayerPlan({1}, 3).type_of(3)


@pytest.mark.parametrize("spelling", [
    {"layer_types": ["linear_attention", "linear_attention", "full_attention"]},
    {"linear_attn_layers": [0, 1]},
    {"full_attention_interval": 3},
    {"text_config": {"num_hidden_layers": 3, "layer_types": ["linear_attention"] * 2 + ["full_attention"]}},
])  # fmt: skip
def test_plan_from_config_in_any_spelling(spelling):
    plan = LayerPlan.from_config({"num_hidden_layers": 3, **spelling})
    assert plan.linear_attn_layers == {0, 1}
    plan.validate_against_checkpoint(names("LLF"))


def test_a_config_without_a_plan_says_so():
    with pytest.raises(LayerPlanError, match="from_checkpoint"):
        LayerPlan.from_config({"num_hidden_layers": 3})


@pytest.mark.parametrize("architecture", ["qwen3_next", "kimi_linear", "jamba", "lfm2", "nemotron_h", "qwen3_5"])
def test_config_and_file_of_real_hybrids_agree(architecture, tmp_path):
    folder = str(build(architecture).write(tmp_path))
    stored = LayerPlan.from_checkpoint(folder)
    plan = LayerPlan.from_config(folder)
    assert plan.num_layers == stored.num_layers
    plan.validate_against_checkpoint(folder)
    wrong = LayerPlan(frozenset(range(stored.num_layers)) - stored.linear_attn_layers, stored.num_layers)
    with pytest.raises(LayerPlanError):
        wrong.validate_against_checkpoint(folder)


def test_mapper_passes_everything_of_a_consistent_checkpoint():
    weights = names("LLF")
    mapped = build_state_dict_mapper(LayerPlan({0, 1}, 3))(weights)
    assert dict(mapped) == weights
    assert not mapped.filled
    assert not mapped.unused


def test_mapper_keeps_the_mixers_that_share_a_container_name():
    kimi = {
        "model.layers.0.self_attn.A_log": 1, "model.layers.0.self_attn.f_a_proj.weight": 1,
        "model.layers.1.self_attn.q_proj.weight": 1, "model.layers.1.self_attn.kv_b_proj.weight": 1,
    }  # fmt: skip
    assert dict(build_state_dict_mapper(LayerPlan({0}, 2))(kimi)) == kimi


def test_zeros_take_their_shapes_from_a_layer_of_the_same_kind_and_are_reported():
    mapped = map_weights_safe(names("LF"), {0: "linear_attn", 1: "linear_attn"}, default="zeros")
    filled = mapped["model.layers.1.linear_attn.A_log"]
    assert filled.shape == (3,)
    assert not filled.any()
    assert set(mapped.filled) == {f"model.layers.1.linear_attn.{leaf}" for leaf in DELTA}
    assert set(mapped.unused) == {f"model.layers.1.self_attn.{leaf}" for leaf in ATTENTION}


def test_identity_and_callable_defaults():
    types = {0: "linear_attn", 1: "linear_attn"}
    mapped = map_weights_safe(names("LF"), types, default="identity")
    assert torch.equal(mapped["model.layers.1.linear_attn.out_proj.weight"], torch.eye(2))
    mapped = map_weights_safe(names("LF"), types, default=lambda key, like: torch.full_like(like, 7))
    assert mapped["model.layers.1.linear_attn.A_log"].tolist() == [7, 7, 7]


def test_no_default_never_makes_up_a_value():
    mapped = map_weights_safe(names("LF"), {0: "linear_attn", 1: "linear_attn"})
    with pytest.raises(LayerPlanError, match="no default was named"):
        mapped["model.layers.1.linear_attn.A_log"].to("cpu")


def test_zeros_without_any_layer_to_take_shapes_from_are_refused():
    with pytest.raises(LayerPlanError, match="callable"):
        map_weights_safe(names("F"), {0: "linear_attn"}, default="zeros")


def test_unknown_default_is_refused():
    with pytest.raises(ValueError, match="zeros"):
        map_weights_safe({}, {}, default="random")
