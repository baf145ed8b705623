"""Embedding and head names: one list, asked by rules, guards and the reading of error texts."""

from __future__ import annotations

import re

import pytest

from loadproof.core.symptom import Mismatch, Symptom
from loadproof.lexicon import ends
from loadproof.rules.evidence.name_comparison import role_of
from loadproof.rules.evidence.vocabulary import embedding, head
from loadproof.tracebacks.mismatches import judge_sizes
from tests.rules.build import case


@pytest.mark.parametrize(
    "name",
    [
        "lm_head.weight",
        "model.lm_head.qweight",
        "output.weight",
        "transformer.output_layer.weight",
        "proj_out.weight",
        "lm_head.decoder.weight",
        "vocab_projector.weight",
        "head",
    ],
)
def test_a_head_is_known_under_each_of_its_names(name: str) -> None:
    assert re.search(ends.HEAD, name)
    assert not re.search(ends.EMBEDDING, name)


@pytest.mark.parametrize(
    "name",
    [
        "model.embed_tokens.weight",
        "shared.weight",
        "encoder.embed_tokens.weight",
        "backbone.embeddings.weight",
        "bert.embeddings.word_embeddings.weight",
        "transformer.word_embedding.weight",
        "token_embd.weight",
    ],
)
def test_an_embedding_is_known_under_each_of_its_names(name: str) -> None:
    assert re.search(ends.EMBEDDING, name)
    assert re.search(ends.VOCABULARY, name)
    assert not re.search(ends.HEAD, name)


@pytest.mark.parametrize(
    "name",
    [
        "bert.encoder.layer.{}.attention.output.dense.weight",
        "bert.embeddings.position_embeddings.weight",
        "model.layers.{}.self_attn.head_norm.weight",
        "model.layers.{}.mlp.shared_expert.up_proj.weight",
        "model.overhead.weight",
    ],
)
def test_a_common_word_inside_a_name_is_no_end(name: str) -> None:
    assert not re.search(ends.VOCABULARY, name)


def test_the_output_of_an_attention_block_is_no_head_to_diff() -> None:
    assert role_of("bert.encoder.layer.{}.attention.output.dense.weight") == "attention"
    assert role_of("output.weight") == "head"
    assert role_of("vocab_projector.weight") == "head"


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("shared.weight", "embedding-flattened"),
        ("backbone.embeddings.weight", "embedding-flattened"),
        ("embed_out.weight", "head-flattened"),
        ("proj_out.weight", "head-flattened"),
    ],
)
def test_a_flattened_end_is_told_from_an_error_text_under_each_name(name: str, cause: str) -> None:
    symptom = Symptom(mismatched=(Mismatch(name, (4096,), (128, 32)),))
    assert next(iter(judge_sizes(symptom)))[0] == cause


def test_position_rows_are_no_vocabulary() -> None:
    symptom = Symptom(mismatched=(Mismatch("bert.embeddings.position_embeddings.weight", (512, 64), (514, 64)),))
    assert not {key for key, *_ in judge_sizes(symptom)} & {"vocab-rows", "vocab-tokenizer"}


def test_a_rule_finds_the_ends_of_a_class_that_calls_them_otherwise() -> None:
    shapes = {"shared.weight": (128, 32), "vocab_projector.weight": (128, 32), "norm.weight": (32,)}
    made = case(expected=shapes)
    assert (found := embedding(made)) is not None
    assert found.template == "shared.weight"
    assert (last := head(made)) is not None
    assert last.template == "vocab_projector.weight"
