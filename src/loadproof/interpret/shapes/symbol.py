"""An integer that remembers how it was made: ``num_key_value_heads*head_dim``."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.gate import find, own, seen_as
from loadproof.interpret.language.values import Open, Value

_MAX_TEXT = 400
# How strongly an expression binds. A division inside a product is weaker than a product: a*(b//c) is not a*b//c.
_SUM, _DIVISION, _PRODUCT, _NAME = range(4)


class Symbol(int, Open):
    """An integer with the expression that made it. `binds` is the strength of its outermost operator."""

    __direct__ = False

    text: str
    binds: int

    def __new__(cls, value: int, text: str, binds: int = _NAME) -> Symbol:
        made = super().__new__(cls, value)
        made.text, made.binds = text, binds
        return made

    def __reduce__(self) -> Any:
        return Symbol, (int(self), self.text, self.binds)

    def __copy__(self) -> Symbol:
        return self

    def __deepcopy__(self, memo: Value) -> Symbol:
        return self


seen_as(Symbol, int)


def text_of(value: Any, binds: int = _SUM) -> str:
    """The expression, in parentheses where it binds weaker than `binds`."""
    if not isinstance(value, Symbol):
        return str(int(value))
    return f"({value.text})" if value.binds < binds else value.text


def _arithmetic(name: str, sign: str, binds: int, left_binds: int, right_binds: int) -> tuple[Any, Any]:
    """The method and its reflection; `*_binds` is what each side must bind like to stand without parentheses."""
    whole: Any = own(int)[f"__{name}__"]
    reflected: Any = own(int)[f"__r{name}__"]

    def made(left: Any, right: Any) -> Any:
        text = text_of(left, left_binds) + sign + text_of(right, right_binds)
        value = whole(int(left), int(right))
        weakest = min(binds, find(left, "binds", _NAME)) if binds == _PRODUCT else binds
        return Symbol(value, text, max(weakest, _DIVISION) if binds else _SUM) if len(text) <= _MAX_TEXT else value

    def forward(self: Symbol, other: Any) -> Any:
        return made(self, other) if _is_number(other) else whole(int(self), other)

    def backward(self: Symbol, other: Any) -> Any:
        return made(other, self) if _is_number(other) else reflected(int(self), other)

    return forward, backward


def _is_number(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


for _name, _sign, _binds, _left, _right in (
    ("add", "+", _SUM, _SUM, _SUM),
    ("sub", "-", _SUM, _SUM, _DIVISION),
    ("mul", "*", _PRODUCT, _DIVISION, _PRODUCT),
    ("floordiv", "//", _DIVISION, _DIVISION, _NAME),
    ("mod", "%", _DIVISION, _DIVISION, _NAME),
):
    _forward, _backward = _arithmetic(_name, _sign, _binds, _left, _right)
    setattr(Symbol, f"__{_name}__", _forward)
    setattr(Symbol, f"__r{_name}__", _backward)
