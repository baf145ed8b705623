"""Every dimension as a formula over config fields that gives the dimension back."""

import copy
from typing import Any

import pytest

from loadproof.core.config import ModelConfig
from loadproof.interpret import expect
from loadproof.interpret.shapes.symbol import Symbol, text_of
from loadproof.interpret.symbols import with_symbols
from tests.zoo.checkpoint import build
from tests.zoo.checkpoint import names as architectures


@pytest.mark.parametrize(
    ("made", "text", "value"),
    [
        (lambda a, b: a * b, "a*b", 12),
        (lambda a, b: 2 * a + b, "2*a+b", 10),
        (lambda a, b: (a + b) * 2, "(a+b)*2", 14),
        (lambda a, b: a - (b - 1), "a-(b-1)", 0),
        (lambda a, b: a // (b // 2), "a//(b//2)", 1),
        (lambda a, b: a * b // 2, "a*b//2", 6),
        (lambda a, b: a % b, "a%b", 3),
        (lambda a, b: 1 - a, "1-a", -2),
    ],
)
def test_formulas_are_written_as_python_reads_them(made, text, value):
    result = made(Symbol(3, "a"), Symbol(4, "b"))
    assert (text_of(result), int(result)) == (text, value)
    assert eval(text, {"a": 3, "b": 4}) == value


def test_a_symbol_survives_copies_and_floats():
    a = Symbol(3, "a")
    assert text_of(copy.deepcopy([a])[0]) == "a"
    assert a / 2 == 1.5
    assert isinstance(a * 1.5, float)
    assert text_of(a * True) == "3"


class Fields(dict[str, Any]):
    """A config for `eval`: nested parts are read with dots."""

    def __getattr__(self, name: str) -> Any:
        value = self[name]
        return Fields(value) if isinstance(value, dict) else value


@pytest.mark.parametrize("name", architectures())
def test_formulas_give_the_sizes_of_real_architectures(name):
    config = ModelConfig(path="config.json", raw=build(name).config)
    plain = expect(config, ".")
    found = with_symbols(plain, config)
    fields = Fields(found.config)
    names = {key: Fields(value) if isinstance(value, dict) else value for key, value in fields.items()}
    assert len(found.families) == len(plain.families)
    for family in found.families:
        assert family.symbols is not None, family.template
        assert family.source, family.template
        for size, symbol in zip(family.shape, family.symbols, strict=True):
            assert eval(symbol, {"__builtins__": {}}, names) == size, (family.template, symbol)


def test_inconclusive_expectations_come_back_as_they_are():
    config = ModelConfig(path="config.json", raw={"model_type": "no-such-type"})
    found = expect(config, ".")
    assert with_symbols(found, config) is found
