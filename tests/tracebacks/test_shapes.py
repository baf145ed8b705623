"""Differences of sizes are read as what they mean."""

from __future__ import annotations

import pytest

from loadproof.tracebacks.shapes import judge, read_shapes


@pytest.mark.parametrize(
    ("stored", "wanted", "name", "kind"),
    [
        ((0,), (64, 32), "model.layers.0.mlp.up_proj.weight", "empty"),
        ((16384,), (256, 64), "lm_head.weight", "flattened"),
        ((131344896,), (128266, 4096), "model.embed_tokens.weight", "slice"),
        ((22544384, 1), (4096, 11008), "model.layers.0.mlp.down_proj.weight", "packed-column"),
        ((32001, 4096), (32000, 4096), "model.embed_tokens.weight", "vocab"),
        ((64128, 4096), (128256, 4096), "lm_head.weight", "head-shard"),
        ((32000, 4096), (128256, 4096), "lm_head.weight", "draft-vocab"),
        ((3, 768), (59744, 768), "lm_head.weight", "small-head"),
        ((1024, 8192), (8192, 8192), "model.layers.0.self_attn.k_proj.weight", "kv-heads"),
        ((5504, 4096), (11008, 4096), "model.layers.0.mlp.up_proj.weight", "row-shard"),
        ((640,), (5120,), "model.norm.weight", "row-shard"),
        ((256, 4), (256, 1, 4), "linear_attn.conv1d.weight", "squeezed"),
        ((256, 4, 1), (256, 1, 4), "linear_attn.conv1d.weight", "squeezed"),
        ((64, 128), (128, 64), "model.layers.0.mlp.up_proj.weight", "transposed"),
        ((7, 64, 32), (8, 64, 32), "mlp.experts.gate_up_proj", "expert-short"),
        ((8, 4096), (16, 4096), "q_proj.lora_A.default.weight", "lora-rank"),
        ((1, 512), (32, 512), "q_proj.qzeros", "group-rows"),
    ],
)
def test_kinds(stored: tuple[int, ...], wanted: tuple[int, ...], name: str, kind: str) -> None:
    assert judge(stored, wanted, name) == kind


def test_a_column_of_floats_is_not_called_flattened() -> None:
    assert judge((8192, 1), (256, 64), "lm_head.weight") == "packed-column"


def test_every_spelling_of_a_size_is_read() -> None:
    text = "torch.Size([0]) (16384,) [1, 64] {1, 22544384} torch.Size([])"
    assert read_shapes(text) == ((0,), (16384,), (1, 64), (1, 22544384), ())
