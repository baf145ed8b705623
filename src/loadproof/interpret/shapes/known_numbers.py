"""Arithmetic on the few tensors whose numbers are known, such as stochastic-depth rates or the depths of stages."""

from __future__ import annotations

import operator
from typing import Any

from loadproof.interpret.language import operators

_FUNCTIONS: dict[str, Any] = {
    **{n: getattr(operator, n) for n in ("truediv", "floordiv", "mod", "and_", "or_", "xor")},
    **{n: getattr(operator, n) for n in ("lt", "gt", "le", "ge", "eq", "ne")},
    "add": operators.add,
    "sub": operators.subtract,
    "mul": operators.multiply,
    "pow": operators.power,
}
NAMES = tuple(_FUNCTIONS)
COMPARISONS = ("lt", "gt", "le", "ge", "eq", "ne")


def results(name: str, numbers: list[Any] | None, other: Any, swapped: bool) -> list[Any] | None:
    """`number <operator> other` for each number; None where one side is not known or a number has no such result."""
    if numbers is None or type(other) not in (int, float, bool):
        return None
    function = _FUNCTIONS[name]
    try:
        return [function(other, n) if swapped else function(n, other) for n in numbers]
    except (ArithmeticError, TypeError):
        return None
