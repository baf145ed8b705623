"""Solving dimensions for one field: with a formula, as a multiple, and as a size that shrinks as the field grows."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.expectation import Expected
from loadproof.rules.evidence.dimensions import affects_all, candidates, shrinking
from tests.rules.build import case, row

LAYERS = (0, 1)
CONFIG: dict[str, Any] = {"num_attention_heads": 6, "num_key_value_heads": 6, "head_dim": 14, "hidden_size": 48}


def made(template: str, expected: tuple[int, ...], found: tuple[int, ...], symbols: tuple[str, ...] | None) -> Case:
    wrong = row("mismatched", template, LAYERS, expected=expected, found=found)
    base = case((wrong,), config=CONFIG, expectation={"config": CONFIG})
    families = (Expected(template, (LAYERS,), expected, symbols=symbols),)
    return replace(base, expectation=replace(base.expectation, families=families))


def guesses(made_case: Case) -> dict[str, int]:
    """The first guess for each field."""
    return {str(c.path[-1]): c.new for c in reversed(candidates(made_case, made_case.outcome.rows))}


def test_a_formula_with_several_parts_is_solved_for_each_of_its_fields() -> None:
    formula = "num_attention_heads*head_dim + 2*num_key_value_heads*head_dim"
    found = guesses(made("qkv", (252, 48), (168, 48), (formula, "hidden_size")))
    assert found["num_key_value_heads"] == 3
    assert "hidden_size" not in found


def test_without_a_formula_multiples_decide() -> None:
    assert guesses(made("k_proj", (84, 48), (42, 48), None))["num_key_value_heads"] == 3


def test_a_size_that_shrinks_as_the_field_grows() -> None:
    wrong = made("k_proj", (84, 48), (42, 48), None)
    found = [c.new for c in shrinking(wrong, wrong.outcome.rows) if c.path[-1] == "num_attention_heads"]
    assert found == [12]


def test_a_malformed_formula_is_not_evaluated() -> None:
    assert guesses(made("x", (84, 48), (42, 48), ("__import__('os')", "hidden_size"))).get("head_dim") is None


def test_one_wrong_layer_of_two_is_no_question_of_a_field() -> None:
    everywhere = made("k_proj", (84, 48), (42, 48), None)
    assert affects_all(everywhere, everywhere.outcome.rows)
    assert not affects_all(everywhere, [row("mismatched", "k_proj", (0,), expected=(84, 48), found=(42, 48))])
