"""Each spelling reads what it writes, for every plan of a few layers that it can say at all."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from loadproof.config.plan.codec import Codec, read, write
from loadproof.config.plan.feed_forward import FEED_FORWARD, deciding
from loadproof.config.plan.spellings import CODECS
from loadproof.config.plan.tensors import feed_forward_from_tensors
from loadproof.config.plan.words import kind
from loadproof.core.tensors import Family

DEPTH = 5
BESIDE: dict[str, Any] = {
    "num_hidden_layers": DEPTH,
    "num_experts": 4,
    "attn_layer_offset": 0,
    "expert_layer_offset": 0,
    "moe_layer_start_index": 0,
    "moe_layer_end_index": -1,
}
START: dict[str, Any] = {
    "layer_types": ["full_attention"] * DEPTH,
    "layers_block_type": ["attention"] * DEPTH,
    "linear_attn_config": {"full_attn_layers": [5], "kda_layers": [1, 2, 3, 4], "head_dim": 8},
    "mlp_layer_types": ["sparse"] * DEPTH,
    "moe_layer_freq": [1] * DEPTH,
}


def plans(codec: Codec) -> list[tuple[str, ...]]:
    words = ("dense", "sparse") if codec.name in FEED_FORWARD else ("linear_attention", "full_attention")
    if codec.name == "full_attn_idxs":
        words = ("conv", "full_attention")
    if codec.name == "cross_attention_layers":
        words = ("cross_attention", "full_attention")
    if codec.name == "local_layer_ids":
        words = ("hybrid", "hybrid_sliding")
    return list(product(words, repeat=DEPTH))


@pytest.mark.parametrize("codec", [*CODECS.values(), *FEED_FORWARD.values()], ids=lambda codec: codec.name)
def test_what_is_written_reads_back_as_meant_or_is_not_written(codec: Codec) -> None:
    fields = BESIDE | {codec.name: START.get(codec.name, 2)}
    said = 0
    for words in plans(codec):
        made = write(codec, fields, words)
        if made is None:
            continue
        back = read(codec, fields | made)
        assert back is not None
        same = [kind(word) for word in back] == [kind(word) for word in words]
        assert same or kind(words[0]) == kind(words[-1]) == "hybrid", (codec.name, words, made)
        said += 1
    assert said or codec.name in ("compress_ratios", "sliding_window_pattern", "max_window_layers")


def test_lists_say_every_plan_and_rhythms_only_theirs() -> None:
    every = 2**DEPTH
    counts = {
        name: sum(write(codec, BESIDE | {name: START.get(name, 2)}, words) is not None for words in plans(codec))
        for name, codec in (CODECS | FEED_FORWARD).items()
    }
    for name in ("layer_types", "linear_attn_config", "mlp_layer_types", "moe_layers", "decoder_sparse_step"):
        assert counts[name] == every, name
    assert counts["first_k_dense_replace"] == DEPTH + 1
    assert 0 < counts["full_attention_interval"] < every
    assert 0 < counts["interleave_moe_layer_step"] < every


FEED_FORWARD_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"mlp_layer_types": ["dense", "sparse", "sparse", "dense", "sparse"]}, "DSSDS"),
    ({"moe_layers": [1, 3]}, "DSDSD"),
    ({"moe_layers_enum": "2,3,4"}, "DDSSS"),
    ({"interleave_moe_layer_step": 2}, "DSDSD"),
    ({"decoder_sparse_step": 1, "mlp_only_layers": [0]}, "DSSSS"),
    ({"decoder_sparse_step": 2, "mlp_only_layers": [3]}, "DSDDD"),
    ({"decoder_sparse_step": 1, "num_experts": 0}, "DDDDD"),
    ({"moe_layer_interval": 2, "moe_layer_start_index": 2, "moe_layer_end_index": -1}, "DDDSD"),
    ({"expert_layer_period": 2, "expert_layer_offset": 1}, "DSDSD"),
    ({"moe_layer_freq": [0, 1, 1, 1, 1]}, "DSSSS"),
    ({"moe_layer_freq": 2, "first_k_dense_replace": 1}, "DDSDS"),
    ({"first_k_dense_replace": 2}, "DDSSS"),
    ({"num_dense_layers": 5}, "DDDDD"),
]


@pytest.mark.parametrize(("fields", "strip"), FEED_FORWARD_FIELDS, ids=lambda value: str(value)[:40])
def test_feed_forward_spelling(fields: dict[str, Any], strip: str) -> None:
    words = read(FEED_FORWARD[next(iter(fields))], BESIDE | fields)
    assert words is not None
    assert "".join("S" if word == "sparse" else "D" for word in words) == strip


def test_every_feed_forward_spelling_has_an_example() -> None:
    assert {next(iter(fields)) for fields, _ in FEED_FORWARD_FIELDS} == set(FEED_FORWARD)


@pytest.mark.parametrize("name", FEED_FORWARD)
@pytest.mark.parametrize("value", [None, "?", [None], [[]], {"a": 1}, -1, 0, 1.5, [10**9], "", [], True])
def test_a_malformed_feed_forward_field_says_nothing_and_never_raises(name: str, value: Any) -> None:
    words = read(FEED_FORWARD[name], {"num_hidden_layers": DEPTH, name: value})
    assert words is None or len(words) <= DEPTH


def test_the_field_that_decided_is_the_one_that_says_what_was_built() -> None:
    fields = BESIDE | {"first_k_dense_replace": 3, "mlp_layer_types": ["dense", *["sparse"] * 4]}
    assert deciding(fields, ("dense", *["sparse"] * 4)) == FEED_FORWARD["mlp_layer_types"]
    assert deciding(fields, ("dense", "dense", "dense", "sparse", "sparse")) == FEED_FORWARD["first_k_dense_replace"]
    assert deciding(fields, ("sparse",) * 5) is None


def test_the_feed_forward_part_of_a_layer_is_told_by_its_modules_not_by_those_of_the_mixer() -> None:
    def stack(*names: str) -> tuple[str | None, ...]:
        families = [Family(f"model.layers.{{}}.{name}", ((0, 1),), "F32", (2, 2)) for name in names]
        plan = feed_forward_from_tensors(families)
        return () if plan is None else plan.words

    assert stack("attn.c_attn.weight", "attn.c_proj.weight") == (None, None)
    assert stack("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_proj.weight") == ("dense", "dense")
    assert stack("self_attn.q_proj.weight", "mlp.experts.gate_up_proj") == ("sparse", "sparse")
    assert stack("self_attn.q_proj.weight", "block_sparse_moe.input_linear.weight") == ("sparse", "sparse")
