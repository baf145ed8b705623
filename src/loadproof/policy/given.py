"""What the command line says, as a layer above all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loadproof.policy.codes import code_problem
from loadproof.policy.keys import Value
from loadproof.policy.layers import Layer, PolicyError


def given_layer(options: Mapping[str, str | bool | Sequence[str]]) -> Layer:
    """The options that were given, by key. Raises `PolicyError` for codes that nobody knows."""
    values: dict[str, Value] = {}
    for name, value in options.items():
        values[name] = value if isinstance(value, str | bool) else _codes(name, value)
    return Layer(values, {name: f"--{name}" for name in values})


def _codes(name: str, words: Sequence[str]) -> tuple[str, ...]:
    codes = tuple(code.strip() for word in words for code in word.split(",") if code.strip())
    for code in codes:
        if problem := code_problem(code):
            raise PolicyError(f"--{name}: {problem}")
    return codes
