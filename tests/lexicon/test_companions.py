"""Quantization companions: one list for the reader, the rules, `diff` and the reading of error texts."""

from __future__ import annotations

import re

import pytest

from loadproof.core.symptom import Symptom
from loadproof.lexicon import companions
from loadproof.rules.evidence.name_comparison import role_of
from loadproof.tracebacks.names import classify
from loadproof.tracebacks.pairing import pair

MODULE = "model.layers.{}.self_attn.q_proj"


@pytest.mark.parametrize("word", companions.COMPANIONS)
def test_every_companion_is_known_in_every_room(word: str) -> None:
    """`weight_g_idx`, `weight_quantizer.scale` or `input_scale_ub` were known to the reader only."""
    name = f"{MODULE}.{word}"
    assert companions.dense_name(name) == f"{MODULE}.weight"
    assert re.search(companions.COMPANION, name)
    assert role_of(name) == "quantization"
    assert classify(name) == "tensor"


@pytest.mark.parametrize("word", companions.COMMON)
def test_a_common_word_is_a_companion_only_beside_packed_weights(word: str) -> None:
    name = f"{MODULE}.{word}"
    assert companions.dense_name(name) == f"{MODULE}.weight"
    assert not re.search(companions.COMPANION, name)
    assert re.search(companions.ANY_COMPANION, name)


@pytest.mark.parametrize(
    ("name", "dense"),
    [
        (f"{MODULE}.weight.quant_state.bitsandbytes__nf4", f"{MODULE}.weight"),
        ("model.layers.{}.mlp.experts.gate_up_proj_blocks", "model.layers.{}.mlp.experts.gate_up_proj"),
        ("model.layers.{}.mlp.experts.down_proj_scale_inv", "model.layers.{}.mlp.experts.down_proj"),
        (f"{MODULE}.weight", None),
        ("model.layers.{}.input_layernorm.weight", None),
        ("model.layers.{}.layer_scale", None),
        ("model.logit_scale", None),
    ],
)
def test_a_companion_stands_for_the_weight_beside_it(name: str, dense: str | None) -> None:
    assert companions.dense_name(name) == dense


@pytest.mark.parametrize("name", ["model.logit_scale", "model.norm.scale", "vision.layer_scale", "model.meta.weight"])
def test_a_scale_of_the_model_is_no_companion(name: str) -> None:
    assert not re.search(companions.COMPANION, name)
    assert not re.search(companions.SCALED, name)


@pytest.mark.parametrize(
    ("names", "cause"),
    [
        (("experts.w13_weight_scale_inv", "experts.w2_weight_scale_inv"), "quant-config-missing"),
        ((f"{MODULE}.weight_g_idx", f"{MODULE}.qscale_weight"), "quant-config-missing"),
        (("q_proj.weight.nested_absmax", "k_proj.weight.nested_quant_map"), "packed-as-dense"),
    ],
)
def test_leftovers_of_a_quantizer_are_told_from_a_report(names: tuple[str, ...], cause: str) -> None:
    assert (cause, "likely") in {(key, sure) for key, sure, *_ in pair(Symptom(unexpected=names))}
