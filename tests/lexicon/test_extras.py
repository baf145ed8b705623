"""Towers, prediction heads, experts and shard names: known alike wherever they are asked for."""

from __future__ import annotations

import re

import pytest

from loadproof.core.symptom import Symptom
from loadproof.lexicon import experts, extras, mixers, shards
from loadproof.rules.evidence.name_comparison import role_of
from loadproof.runtime.layer_names import find_prefix
from loadproof.tracebacks.knowledge.codes import codes
from loadproof.tracebacks.pairing import pair

LAYERS = [f"language_model.layers.{layer}.self_attn.q_proj.weight" for layer in range(2)]


@pytest.mark.parametrize("word", [*extras.TOWERS, *extras.BRIDGES])
def test_a_tower_is_known_in_every_room(word: str) -> None:
    """`connector`, `resampler` or `video_tower` were known to one room each."""
    name = f"model.{word}.blocks.0.norm.weight"
    assert extras.is_other_stack(f"model.{word}.blocks")
    assert role_of(name) == "vision or audio"
    assert "text-vs-vlm" in {cause for cause, *_ in pair(Symptom(missing=(name,)))}
    others = [f"{word}.layers.{layer}.self_attn.q_proj.weight" for layer in range(9)]
    assert find_prefix([*others, *LAYERS]) == "language_model."


@pytest.mark.parametrize("word", extras.PREDICTION_HEADS)
def test_a_prediction_head_is_known_in_every_room(word: str) -> None:
    name = f"model.{word}.0.proj.weight"
    assert extras.is_prediction_head(name)
    assert re.search(codes().signs["LP309"], name)
    assert role_of(name) == "prediction heads"
    assert "mtp-promised" in {cause for cause, *_ in pair(Symptom(missing=(name,)))}


@pytest.mark.parametrize("mark", extras.PREDICTION_MARKS)
def test_what_only_a_prediction_head_has_is_known_in_every_room(mark: str) -> None:
    assert re.search(extras.MARKED, f"model.layers.61.{mark}.weight")
    assert role_of(f"model.layers.{{}}.{mark}.weight") == "prediction heads"


@pytest.mark.parametrize(
    "name",
    ["model.layers.{}.self_attn.q_proj.weight", "model.layers.{}.mlp.activity.weight", "model.renorm.weight"],
)
def test_a_part_of_the_text_decoder_is_no_extra(name: str) -> None:
    assert not re.search(extras.MULTIMODAL, name)
    assert not re.search(extras.PREDICTION, name)


@pytest.mark.parametrize("number", ["{}", "{0-7}", "12", "<0-7>"])
def test_experts_one_by_one_are_cited_with_any_kind_of_number(number: str) -> None:
    assert re.search(experts.CITED_ONE_BY_ONE, f"model.layers.0.mlp.experts.{number}.up_proj.weight")


def test_packed_experts_are_not_experts_one_by_one() -> None:
    assert not re.search(experts.CITED_ONE_BY_ONE, "model.layers.0.mlp.experts.gate_up_proj")
    assert re.search(experts.PACKED, "model.layers.0.mlp.experts.gate_up_proj_blocks")


def test_a_gate_alone_is_a_dense_feed_forward_part() -> None:
    """`gate_proj` was missing in the list by which layers are read from tensors."""
    assert mixers.is_sparse(["mlp.gate_proj.weight"]) is False
    assert mixers.is_sparse(["mlp.gate.weight", "mlp.experts.gate_up_proj"]) is True


@pytest.mark.parametrize(
    ("file", "stem", "number", "total"),
    [
        ("model-00001-of-00003.safetensors", "model", "00001", "00003"),
        ("pytorch_model-00002-of-00003.fp16.bin", "pytorch_model", "00002", "00003"),
        ("model-1-of-2.safetensors", "model", "1", "2"),
        ("part/model-00001-of-00003.safetensors", "part/model", "00001", "00003"),
    ],
)
def test_a_numbered_shard_is_read_alike_everywhere(file: str, stem: str, number: str, total: str) -> None:
    found = shards.numbered(file)
    assert found is not None
    assert (found["stem"], found["number"], found["total"]) == (stem, number, total)


@pytest.mark.parametrize("file", ["model.safetensors", "model-of-00003.safetensors", "model-00001-of-00003.json"])
def test_another_file_is_no_shard(file: str) -> None:
    assert shards.numbered(file) is None
