"""Rows, losers, assignments and ties carry the file's own names beside the model's."""

from __future__ import annotations

import pytest

from loadproof.core.checkpoint import Manifest, Problem
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.families import names_of
from loadproof.core.loading import Loading, Operation
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Family, Shape
from loadproof.readers import get_reader
from loadproof.readers.transformers.closing import CONVERSION_TEXT, MISMATCH_TEXT
from loadproof.readers.transformers.predict_v5 import predict_v5
from tests.readers.build import EXPERTS, STACK, expectation, manifest, rule

EXPERT = "model.layers.{}.mlp.experts.{}.{}.weight"
MODEL: dict[str, Shape] = {
    **{f"model.layers.{i}.mlp.experts.gate_up_proj": (3, 8, 6) for i in range(2)},
    **{f"model.layers.{i}.mlp.experts.down_proj": (3, 6, 4) for i in range(2)},
}
PLACES = [(i, e, w) for i in range(2) for e in range(3) for w in ("w1", "w2", "w3")]
FILES: dict[str, Shape] = {EXPERT.format(*place): (6, 4) if place[2] == "w2" else (4, 6) for place in PLACES}


def names(outcome: Outcome, kind: str) -> set[str]:
    return {name for row in outcome.rows if row.kind == kind for name in names_of(row.template, row.axes)}


def only(outcome: Outcome) -> Row:
    (row,) = outcome.rows
    return row


def test_experts_are_stacked_and_joined() -> None:
    outcome = predict_v5(manifest(FILES), expectation(MODEL, *EXPERTS))
    assert (outcome.rows, outcome.raises) == ((), False)
    assert {(a.stored, a.target, a.converted) for a in outcome.assignments} == {
        ("model.layers.{}.mlp.experts.{}.w1.weight", "model.layers.{}.mlp.experts.gate_up_proj", True),
        ("model.layers.{}.mlp.experts.{}.w3.weight", "model.layers.{}.mlp.experts.gate_up_proj", True),
        ("model.layers.{}.mlp.experts.{}.w2.weight", "model.layers.{}.mlp.experts.down_proj", True),
    }


def test_a_lost_expert_is_a_shorter_stack() -> None:
    files = {name: shape for name, shape in FILES.items() if ".experts.1." not in name}
    outcome = predict_v5(manifest(files), expectation(MODEL, *EXPERTS))
    assert names(outcome, "mismatched") == set(MODEL)
    assert outcome.error == MISMATCH_TEXT
    assert {row.found for row in outcome.rows} == {(2, 8, 6), (2, 6, 4)}


def test_one_lost_projection_cannot_be_joined() -> None:
    files = {name: shape for name, shape in FILES.items() if name != EXPERT.format(1, 2, "w3")}
    outcome = predict_v5(manifest(files), expectation(MODEL, *EXPERTS))
    assert names(outcome, "conversion") == {"model.layers.1.mlp.experts.gate_up_proj"}
    assert names(outcome, "missing") == {"model.layers.1.mlp.experts.gate_up_proj"}
    assert outcome.error == CONVERSION_TEXT


def test_names_alone_tell_a_lost_expert() -> None:
    two = manifest({name: shape for name, shape in FILES.items() if ".2." not in name})
    families = tuple(Family(family.template, family.axes, None, None) for family in two.families)
    unknown = Manifest("names-only", (), families, 12, 0, names_only=True)
    outcome = predict_v5(unknown, expectation(MODEL, *EXPERTS))
    assert names(outcome, "mismatched") == set(MODEL)
    assert {row.text for row in outcome.rows} == {"2 tensors are stacked where the model has 3"}
    assert [skip.what for skip in outcome.skipped] == ["shapes and dtypes of 12 tensors"]


def test_experts_numbered_from_one_stack_all_the_same() -> None:
    files = {EXPERT.format(i, e + 1, w): FILES[EXPERT.format(i, e, w)] for i, e, w in PLACES}
    assert predict_v5(manifest(files), expectation(MODEL, *EXPERTS)).rows == ()


def test_a_converter_without_a_home_names_its_targets_and_keeps_the_stored_name() -> None:
    outcome = predict_v5(manifest(FILES), expectation({"x": (1,)}, *EXPERTS))
    assert names(outcome, "unexpected") == set(MODEL)
    row = next(row for row in outcome.rows if row.template.endswith("down_proj"))
    assert (row.stored, row.stored_axes) == ("model.layers.{}.mlp.experts.{}.w2.weight", ((0, 1), (0, 1, 2)))


def test_two_keys_for_one_parameter_leave_the_later_one_out() -> None:
    model: dict[str, Shape] = {f"model.layers.{i}.w": (2,) for i in range(3)}
    files: dict[str, Shape] = {**model, "layers.1.w": (9,)}
    outcome = predict_v5(manifest(files), expectation(model, base_model_prefix="model"))
    assert names(outcome, "mismatched") == {"model.layers.1.w"}  # "layers" sorts before "model"
    (loser,) = outcome.dropped
    assert (loser.stored, loser.stored_axes) == ("model.layers.{}.w", ((1,),))


def test_ties_fill_from_either_side() -> None:
    model: dict[str, Shape] = {"head": (4, 2), "embed": (4, 2)}
    wanted = expectation(model, ties=(("head", "embed"),))
    for stored in model:
        outcome = predict_v5(manifest({stored: (4, 2)}), wanted)
        other = ({"head", "embed"} - {stored}).pop()
        assert (outcome.rows, outcome.tied) == ((), ((other, stored),))
    assert names(predict_v5(manifest({}), wanted), "missing") == {"head", "embed"}


def test_a_backup_tie_fills_when_the_source_is_lost() -> None:
    model: dict[str, Shape] = {"a": (1,), "b": (1,), "s": (1,)}
    outcome = predict_v5(manifest({"b": (1,)}), expectation(model, ties=(("a", "s"), ("b", "s"))))
    assert (outcome.rows, outcome.tied) == ((), (("a", "b"), ("s", "b")))


def test_an_ignore_pattern_takes_a_part_of_a_family() -> None:
    files: dict[str, Shape] = {f"model.layers.{i}.x": (1,) for i in (59, 60, 61, 610)}
    wanted = expectation({"y": (1,)}, ignore_unexpected=(r"model\.layers\.61.*",), ignore_missing=("y",))
    outcome = predict_v5(manifest(files), wanted)
    assert names(outcome, "unexpected") == {"model.layers.59.x", "model.layers.60.x"}
    taken = {name for row in outcome.ignored for name in names_of(row.template, row.axes)}
    assert taken == {"model.layers.61.x", "model.layers.610.x", "y"}


def test_an_operation_that_is_not_known_is_inconclusive() -> None:
    outcome = predict_v5(manifest({"a": (1,)}), expectation({"b": (1,)}, rule("a", "b", Operation("Fold"))))
    assert outcome.inconclusive == "b: conversion Fold is not known"
    assert outcome.rows == ()


def test_two_converters_of_one_source_run_the_last() -> None:
    swap = Operation("Transpose", {"dim0": 1, "dim1": 2})
    rules = (rule("x.*.w", "y", STACK), rule("x.*.w", "y", STACK, swap))
    outcome = predict_v5(manifest({f"x.{i}.w": (2, 3) for i in range(2)}), expectation({"y": (2, 2, 3)}, *rules))
    assert names(outcome, "mismatched") == {"y"}
    assert only(outcome).found == (2, 3, 2)


def test_a_broken_file_raises_first() -> None:
    problem = Problem("LP006", "f", "not UTF-8", detail="utf-8")
    broken = Manifest("safetensors", (), (), 0, 0, problems=(problem,))
    outcome = predict_v5(broken, expectation({"y": (1,)}))
    assert (outcome.raises, outcome.error) == (
        True,
        "SafetensorError: Error while deserializing header: invalid UTF-8 in header",
    )


def test_a_name_of_thousands_of_words_is_only_unexpected() -> None:
    name = ".".join(["experts"] * 5000)
    outcome = predict_v5(manifest({name: (1,)}), expectation({"y": (1,)}, *EXPERTS, ignore_unexpected=(".*e.*x",)))
    assert names(outcome, "unexpected") == {name}


@pytest.mark.parametrize("pattern", ["(a+)+$", "(", ".*.*.*x", "(?:a|a)*b", "a?" * 60 + "b", "a{99999999999}"])
@pytest.mark.parametrize("source", ["remote-code", "installed"])
def test_a_costly_pattern_is_not_tried(pattern: str, source: str) -> None:
    wanted = Expectation("transformers", "5.24.0", "M", "m", source, private=Loading(ignore_unexpected=(pattern,)))  # type: ignore[arg-type]
    outcome = get_reader("transformers").load(manifest({"a" * 60: (1,)}), wanted, ModelConfig(None, {}))
    assert outcome.inconclusive is not None
    assert "name pattern" in outcome.inconclusive


def test_unread_formats_are_inconclusive() -> None:
    manifest = Manifest("dcp", (), (), 0, 0)
    outcome = get_reader("transformers").load(manifest, expectation({"y": (1,)}), ModelConfig(None, {}))
    assert outcome.inconclusive is not None


def test_a_fused_copy_beside_the_experts_is_dropped_unseen() -> None:
    fused = "model.layers.0.mlp.experts.gate_up_proj"
    outcome = predict_v5(manifest({**FILES, fused: (3, 8, 6)}), expectation(MODEL, *EXPERTS))
    assert (outcome.rows, outcome.raises) == ((), False)
    assert [(row.stored, row.stored_axes) for row in outcome.dropped] == [
        ("model.layers.{}.mlp.experts.gate_up_proj", ((0,),))
    ]


def test_of_many_keys_for_one_parameter_only_the_first_is_assigned() -> None:
    outcome = predict_v5(
        manifest({f"x.{i}.w": (1,) for i in range(3)}), expectation({"y": (1,)}, rule(r"x\.\d\.w", "y"))
    )
    assert [a.stored_axes for a in outcome.assignments] == [((0,),)]
    assert [row.stored_axes for row in outcome.dropped] == [((1, 2),)]
