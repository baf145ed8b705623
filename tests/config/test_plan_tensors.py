"""Layer plans told by the tensors: the children of a layer decide, not the name of its sub-module."""

from __future__ import annotations

import pytest

from loadproof.config import plan_from_tensors
from loadproof.core.families import fold
from loadproof.core.layer_letters import letters
from loadproof.core.tensors import Family
from loadproof.lexicon.mixers import is_sparse, mixer_of
from tests import zoo

STRIPS = {
    "llama": "FFFFFF", "gpt2": "FFFFFF", "gpt_neox": "FFFFFF", "phi3": "FFFFFF", "deepseek_v3": "FFFFFF",
    "qwen3_next": "LLLFLLLF", "qwen3_5": "LLLFLLLF", "kimi_linear": "LLLFLF", "nemotron_h": "LDFDLE", "lfm2": "CCFCFC",
    "jamba": "LLFLLLFL", "bamba": "LLFLLF", "granitemoehybrid": "LLFLLF", "minimax": "FLFLFL",
    "recurrent_gemma": "LLFLLF",
    "zamba": "LLHLHL", "zamba2": "LLHLLH", "falcon_h1": "HHHHHH", "olmo_hybrid": "LLLFLL", "bailing_hybrid": "LLFLLF",
    "gemma3": "FFFFFF", "qwen2_vl": "FFFFFF", "mistral3": "FFFFFF", "gpt_oss": "FFFFFF",
}  # fmt: skip
MIXERS = {
    "qwen3_next": "Gated DeltaNet", "kimi_linear": "Kimi delta attention", "nemotron_h": "Mamba-2", "jamba": "Mamba-1",
    "minimax": "lightning attention", "recurrent_gemma": "RG-LRU", "lfm2": "short convolution",
}  # fmt: skip


def families(name: str, prefix: str = "") -> list[Family]:
    tensors = zoo.build(name).tensors
    folded = fold((prefix + key, (tensor.dtype, tensor.shape)) for key, tensor in tensors.items())
    return [Family(template, axes, dtype, shape) for template, axes, (dtype, shape) in folded]


@pytest.mark.parametrize("name", STRIPS)
def test_strip_of_healthy_layouts(name: str) -> None:
    plan = plan_from_tensors(families(name))
    assert plan is not None
    assert letters(plan) == STRIPS[name]
    assert MIXERS.get(name, plan.mixers[0]) in plan.mixers


def test_a_wrapper_prefix_does_not_hide_the_layers() -> None:
    plan = plan_from_tensors(families("qwen3_next", "module._orig_mod."))
    assert plan is not None
    assert (letters(plan), plan.field) == ("LLLFLLLF", "module._orig_mod.model.layers")


def test_a_larger_vision_tower_is_not_the_decoder() -> None:
    tower = [Family("visual.blocks.{}.attn.qkv.weight", (tuple(range(99)),), "F32", (3, 3))] * 9
    plan = plan_from_tensors([*tower, *families("llama")])
    assert plan is not None
    assert plan.field == "model.layers"


def test_a_layer_that_is_not_stored_is_not_known() -> None:
    kept = [Family("model.layers.{}.self_attn.q_proj.weight", ((0, 2),), "F32", (3, 3))]
    plan = plan_from_tensors(kept)
    assert plan is not None
    assert letters(plan) == "F?F"


def test_no_layers_no_plan() -> None:
    assert plan_from_tensors([Family("lm_head.weight", (), "F32", (3, 3))]) is None


@pytest.mark.parametrize(
    ("children", "word", "mixer"),
    [
        (["self_attn.q_proj", "self_attn.kv_a_proj_with_mqa"], "full_attention", "latent attention (MLA)"),
        (["self_attn.q_proj", "self_attn.indexer.wq_b"], "indexed_attention", "attention with an indexer"),
        (["self_attn.q_proj", "self_attn.A_log", "self_attn.f_a_proj"], "linear_attention", "Kimi delta attention"),
        (["linear_attn.A_log", "linear_attn.in_proj_qkv"], "linear_attention", "Gated DeltaNet"),
        (["attention.time_decay", "attention.key", "attention.receptance"], "linear_attention", "RWKV"),
        (["cross_attn.q_proj", "mlp.up_proj"], "cross_attention", "cross attention"),
        (["mixer.up_proj", "norm.weight"], "mlp", "feed-forward block"),
        (["something.strange"], None, None),
    ],
)
def test_signature(children: list[str], word: str | None, mixer: str | None) -> None:
    assert mixer_of(children) == (word, mixer)


def test_sparse_and_dense_feed_forward() -> None:
    assert is_sparse(["mlp.experts.0.up_proj.weight", "mlp.gate.weight"]) is True
    assert is_sparse(["mlp.up_proj.weight"]) is False
    assert is_sparse(["norm.weight"]) is None
