"""The rules judge the names that a text reports: the same cause as in a checkpoint, likely on two witnesses only."""

from __future__ import annotations

from time import process_time

import pytest

from loadproof.core.symptom import Mismatch, Symptom
from loadproof.tracebacks import read_symptom
from loadproof.tracebacks.by_rules import judge_rows
from loadproof.tracebacks.partial import partial_case, spelled_out

HIDDEN = ("model.layers.{0...3}.mlp.up_proj.weight", "model.layers.{0...3}.self_attn.q_proj.weight")


def symptom(
    *, missing: tuple[str, ...] = (), unexpected: tuple[str, ...] = (), sizes: tuple[Mismatch, ...] = ()
) -> Symptom:
    return Symptom(missing=missing, unexpected=unexpected, mismatched=sizes)


def first(reported: Symptom) -> tuple[str, str]:
    votes = judge_rows(reported)
    return votes[0][:2] if votes else ("", "")


def under(prefix: str, names: tuple[str, ...] = HIDDEN) -> tuple[str, ...]:
    return tuple(prefix + name for name in names)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("layers.{0...3}.x", ["layers.0.x", "layers.1.x", "layers.2.x", "layers.3.x"]),
        ("layers.{0, 2}.x", ["layers.0.x", "layers.2.x"]),
        ("h.<i>.x", ["h.0.x"]),
        ("mlp.{gate,up}_proj", ["mlp.gate_proj", "mlp.up_proj"]),
        ("lm_head.weight", ["lm_head.weight"]),
    ],
)
def test_a_reported_name_stands_for_its_numbers(reported: str, expected: list[str]) -> None:
    assert list(spelled_out((reported,))) == expected


@pytest.mark.parametrize(
    ("missing", "unexpected", "cause"),
    [
        (HIDDEN, under("_orig_mod."), "wrapper-prefix"),
        (HIDDEN, under("module."), "wrapper-prefix"),
        (under("model.", HIDDEN), HIDDEN, "nesting-prefix"),
        (under("text_encoder."), under("text_encoder.text_model."), "nesting-prefix"),
        (HIDDEN, under("model."), "repeated-prefix"),
        (
            ("model.layers.{0...3}.mlp.experts.gate_up_proj", "model.layers.{0...3}.mlp.experts.down_proj"),
            tuple(
                f"model.layers.{{0...3}}.mlp.experts.{{0...7}}.{part}_proj.weight" for part in ("gate", "up", "down")
            ),
            "expert-layout",
        ),
        (
            tuple(f"model.layers.3.self_attn.{part}_proj.weight" for part in "qkvo"),
            tuple(f"model.layers.3.linear_attn.{part}" for part in ("in_proj_qkv.weight", "A_log", "out_proj.weight")),
            "layer-plan",
        ),
        (HIDDEN[:1], ("model.layers.{0...3}.mlp.experts.{0...7}.up_proj.weight",), "wrong-class"),
    ],
)
def test_both_sides_together_are_likely(missing: tuple[str, ...], unexpected: tuple[str, ...], cause: str) -> None:
    assert first(symptom(missing=missing, unexpected=unexpected)) == (cause, "likely")


@pytest.mark.parametrize(
    ("missing", "unexpected"),
    [
        (HIDDEN, ()),
        ((), HIDDEN),
        (HIDDEN, ("model.layers.{0...3}.mlp.down_proj.bias",)),
        (("lm_head.weight",), ("output.weight",)),
        (("model.embed_tokens.weight",), ("model.norm.bias",)),
    ],
)
def test_names_that_do_not_answer_each_other_prove_nothing(
    missing: tuple[str, ...], unexpected: tuple[str, ...]
) -> None:
    assert judge_rows(symptom(missing=missing, unexpected=unexpected)) == ()


def test_one_empty_tensor_is_one_witness_and_several_are_two() -> None:
    one = (Mismatch("model.norm.weight", (0,), (64,)),)
    assert first(symptom(sizes=one)) == ("zero3-placeholders", "possible")
    two = (*one, Mismatch("model.embed_tokens.weight", (0,), (256, 64)))
    assert first(symptom(sizes=two)) == ("zero3-placeholders", "likely")


def test_empty_beside_a_slice_is_no_placeholder_of_zero3() -> None:
    sizes = (
        Mismatch("model.embed_tokens.weight", (0,), (256, 64)),
        Mismatch("model.layers.0.mlp.up_proj.weight", (5000,), (256, 64)),
    )
    votes = judge_rows(symptom(sizes=sizes))
    assert votes[0][0] == "fsdp1-slice"
    assert "zero3-placeholders" not in [vote[0] for vote in votes]


def test_an_empty_parameter_of_the_model_is_no_fault_of_the_file() -> None:
    sizes = (Mismatch("model.norm.weight", (64,), (0,)), Mismatch("model.embed_tokens.weight", (256, 64), (0,)))
    assert "zero3-placeholders" not in [vote[0] for vote in judge_rows(symptom(sizes=sizes))]


def test_nothing_is_certain_without_the_files() -> None:
    reported = symptom(missing=HIDDEN, unexpected=under("_orig_mod."))
    assert {vote[1] for vote in judge_rows(reported)} <= {"likely", "possible"}


def test_what_the_text_does_not_tell_is_not_made_up() -> None:
    case = partial_case(symptom(missing=HIDDEN))
    assert case.config.path is None
    assert case.manifest.tensors == 0
    assert all(row.expected is None for row in case.outcome.rows)


def test_twenty_thousand_names_are_judged_in_no_time() -> None:
    lines = [
        f"model.a{n % 97}.layers.{n}.b{n % 13}.weight | {('MISSING', 'UNEXPECTED')[n % 2]} |" for n in range(20_000)
    ]
    reported = read_symptom(["LOAD REPORT from: x", *lines])
    begun = process_time()
    judge_rows(reported)
    assert process_time() - begun < 20
