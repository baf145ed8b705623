"""Wrapper words: one list for names in files, in error texts and for live modules."""

from __future__ import annotations

import re

import pytest

from loadproof.core.symptom import Symptom
from loadproof.lexicon import adapters, wrappers
from loadproof.tracebacks.pairing import pair


@pytest.mark.parametrize("word", [*wrappers.WRAPPERS, *wrappers.OUTERMOST])
def test_every_wrapper_word_is_known_in_an_error_text(word: str) -> None:
    """`_fpw_module` and `_forward_module` were known to the rules only, `pretrained_model` to the texts only."""
    names = tuple(f"{word}.model.layers.{layer}.mlp.up_proj.weight" for layer in range(3))
    assert re.search(wrappers.WRAPPED, names[0])
    assert ("wrapper-prefix", "likely") in {(cause, sure) for cause, sure, *_ in pair(Symptom(unexpected=names))}


@pytest.mark.parametrize("name", ["model.module.weight", "encoder.pretrained_model.weight", "model.orig_mod.weight"])
def test_a_plain_word_inside_a_name_is_a_part_of_the_model(name: str) -> None:
    assert not re.search(wrappers.WRAPPED, name)


def test_wrapper_parts_come_in_the_order_of_the_names() -> None:
    names = ("a.b.weight", "module.a._orig_mod.weight", "_fpw_module.a.weight")
    assert wrappers.wrapper_parts(names) == ("module", "_orig_mod", "_fpw_module")


@pytest.mark.parametrize(
    ("name", "adapter"),
    [
        ("base_model.model.model.layers.{}.self_attn.q_proj.lora_A.default.weight", True),
        ("base_model.model.lm_head.original_module.weight", True),
        ("model.layers.{}.self_attn.q_proj.lora_a", True),
        ("base_model.model.model.layers.{}.self_attn.q_proj.base_layer.weight", False),
        ("model.layers.{}.self_attn.q_a_proj.weight", False),
    ],
)
def test_only_tensors_of_the_adapter_are_left_out(name: str, adapter: bool) -> None:
    assert bool(re.search(adapters.ADAPTER, name)) is adapter


@pytest.mark.torch
@pytest.mark.parametrize("word", wrappers.INNER)
def test_a_live_wrapper_is_seen_through_under_each_word(word: str) -> None:
    from torch import nn

    from loadproof.runtime.unwrap import unwrap

    model, outer = nn.Linear(2, 2), nn.Module()
    outer.add_module(word, model)
    assert unwrap(outer) == (model, ("Module",))
