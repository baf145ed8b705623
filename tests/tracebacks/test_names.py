"""A name is classified before it is explained, and led back to the names on disk."""

from __future__ import annotations

import pytest

from loadproof.tracebacks.names import classify, layer_of, on_disk, same_place


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("language_model.model.layers.20.linear_attn", "runtime-layer"),
        ("model.layers.3.self_attn.attn", "runtime-layer"),
        ("model.layers.3.self_attn.indexer.k_cache", "runtime-layer"),
        ("model.layers.3.mixer", "runtime-layer"),
        ("model.layers.3.mlp.experts", "runtime-layer"),
        ("layers.5.mlp.experts.w13_weight", "fused"),
        ("layers.1.self_attn.qkv_proj.weight", "fused"),
        ("layers.1.linear_attn.in_proj_qkvz.weight", "fused"),
        ("layers.0.mamba.A", "fused"),
        ("layers.0.mlp.gate_gate_up_proj.weight", "double-replaced"),
        ("model.layers.0.mlp.experts.gate_up_proj", "packed-experts"),
        ("model.layers.0.mlp.up_proj.weight", "tensor"),
        ("model.layers.0.mlp.up_proj.weight_scale_inv", "tensor"),
        ("model.layers.0.linear_attn.A_log", "tensor"),
        ("qwen3_5", "word"),
        ("151645", "token-id"),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert classify(name) == kind


def test_the_layer_of_a_name() -> None:
    assert layer_of("language_model.model.layers.20.linear_attn") == 20
    assert layer_of("blk.7.ffn_up.weight") == 7
    assert layer_of("lm_head.weight") is None


@pytest.mark.parametrize(
    ("engine", "disk"),
    [
        ("layers.0.self_attn.qkv_proj.weight", "model.layers.0.self_attn.k_proj.weight"),
        ("layers.0.mlp.gate_up_proj.weight", "model.layers.0.mlp.up_proj.weight"),
        ("layers.0.linear_attn.in_proj_ba.weight", "model.layers.0.linear_attn.in_proj_b.weight"),
        ("layers.0.mlp.experts.w13_weight", "model.layers.0.mlp.experts.{}.gate_proj.weight"),
        ("layers.0.mamba.A", "model.layers.0.mamba.A_log"),
        ("language_model.model.layers.2.mlp.up_proj.weight", "model.language_model.layers.2.mlp.up_proj.weight"),
    ],
)
def test_engine_names_lead_back_to_the_disk(engine: str, disk: str) -> None:
    assert disk in on_disk(engine)


def test_a_name_finds_its_stored_template() -> None:
    assert same_place("layers.4.self_attn.qkv_proj.weight", "model.language_model.layers.{}.self_attn.v_proj.weight")
    assert not same_place("layers.4.self_attn.qkv_proj.weight", "model.layers.{}.mlp.up_proj.weight")
