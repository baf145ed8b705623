"""The layer strip."""

from __future__ import annotations

from loadproof.core.config import LayerPlan
from loadproof.core.layer_letters import legend, letter, letters
from loadproof.core.places import NOWHERE, Place
from loadproof.core.results import PlanReport
from loadproof.report.plan_text import render_plan

LINEAR, FULL = "linear_attention", "full_attention"


def plan(text: str, source: str = "config") -> LayerPlan:
    words = {"L": LINEAR, "F": FULL, "?": None}
    field = "layer_types" if source == "config" else "model.layers"
    return LayerPlan(
        tuple(words[sign] for sign in text),
        source,
        field,
        where=Place("config.json", 3) if source == "config" else NOWHERE,
    )


def test_equal_plans_agree() -> None:
    assert render_plan(PlanReport("checkpoint", plan("LLLF"), plan("LLLF", "tensors"), ())) == (
        "layer    0\n"
        "config   LLLF\n"
        "tensors  LLLF\n"
        "\n"
        "F full attention, L linear attention\n"
        "config   4 layers from layer_types  config.json:3\n"
        "tensors  4 layers under model.layers\n"
        "result   the plans agree\n"
    )


def test_layers_that_differ_are_marked_and_listed() -> None:
    text = render_plan(PlanReport("checkpoint", plan("LLFFLF"), plan("LLLFFF", "tensors"), (2, 4)))
    assert "tensors  LLLFFF\n           ^ ^\n" in text
    assert "result   2 of 6 layers differ: 2,4\n" in text


def test_plans_of_other_lengths_differ() -> None:
    text = render_plan(PlanReport("checkpoint", plan("LLLF"), plan("LLLFL", "tensors"), ()))
    assert "result   config plans 4 layers, the checkpoint holds 5\n" in text


def test_a_side_that_says_nothing_is_named() -> None:
    text = render_plan(PlanReport("checkpoint", None, plan("FF", "tensors"), ()))
    assert "config   says nothing\n" in text
    assert "result   nothing to compare\n" in text


def test_long_plans_run_over_several_rows() -> None:
    text = render_plan(PlanReport("checkpoint", plan("L" * 200), plan("L" * 199 + "F", "tensors"), (199,)))
    rows = [line for line in text.splitlines() if line.startswith("config   L")]
    assert [len(row) - 9 for row in rows] == [80, 80, 40]
    assert "layer    160       170       180       190\n" in text
    assert f"{' ' * 48}^\n" in text


def test_letters_are_one_for_each_word() -> None:
    assert letters(plan("LF?")) == "LF?"
    assert letter("a word nobody knows") == "!"
    assert legend([LINEAR, None, "x"]) == "! not in the vocabulary, ? not known, L linear attention"
