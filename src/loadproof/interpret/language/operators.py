"""Operators with their bounds: what would allocate much is measured before it happens."""

from __future__ import annotations

import ast
import operator as op
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import ForbiddenAttribute, LimitReached

Binary = Callable[[Any, Any], Any]
_SEQUENCES = (str, bytes, list, tuple)
_CONTAINERS = (list, tuple, dict)


def multiply(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        limits.checked_integer(a)
        limits.checked_integer(b)
        return limits.checked_integer(a * b)
    if isinstance(a, _SEQUENCES) and isinstance(b, int):
        limits.current().charge(len(a) * max(0, b), type(a).__name__)
    elif isinstance(b, _SEQUENCES) and isinstance(a, int):
        limits.current().charge(len(b) * max(0, a), type(b).__name__)
    return a * b


def add(a: Any, b: Any) -> Any:
    if isinstance(a, _SEQUENCES) and isinstance(b, _SEQUENCES):
        limits.current().charge(len(a) + len(b), type(a).__name__)
    return limits.checked_integer(a + b)


def subtract(a: Any, b: Any) -> Any:
    return limits.checked_integer(a - b)


def power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and abs(b) * a.bit_length() > limits.INTEGER_BITS:
        raise LimitReached(f"power with an exponent of {b}")
    return a**b


def shift_left(a: Any, b: Any) -> Any:
    if isinstance(b, int) and b > limits.INTEGER_BITS:
        raise LimitReached(f"shift by {b} bits")
    return limits.checked_integer(a << b)


def remainder(a: Any, b: Any) -> Any:
    if isinstance(a, (str, bytes)):
        return _percent_format(a, b)
    return a % b


def _percent_format(text: Any, values: Any) -> Any:
    from loadproof.interpret.language.text import percent_format

    if isinstance(text, bytes):
        raise ForbiddenAttribute("formatting of bytes")
    return percent_format(text, values)


def equal(a: Any, b: Any) -> Any:
    """`a == b`; nested containers are compared step by step, so that shared references cannot make it endless."""
    if type(a) in _CONTAINERS and type(a) is type(b):
        return a is b or _equal_containers(a, b)
    return a == b


def _equal_containers(a: Any, b: Any) -> bool:
    limits.current().step()
    if len(a) != len(b):
        return False
    if type(a) is dict:
        return all(k in b and bool(equal(v, b[k])) for k, v in a.items())
    return all(x is y or bool(equal(x, y)) for x, y in zip(a, b, strict=True))


def not_equal(a: Any, b: Any) -> Any:
    return not equal(a, b) if type(a) in _CONTAINERS else a != b


def contains(a: Any, b: Any) -> bool:
    return a in b


_IADD: Any = op.iadd
_IMUL: Any = op.imul


def _add_in_place(a: Any, b: Any) -> Any:
    if isinstance(a, list):
        limits.current().charge(len(a) + (len(b) if isinstance(b, (list, tuple, str, dict, set)) else 0), "list")
        return _IADD(a, b)
    return add(a, b) if isinstance(a, _SEQUENCES) else _IADD(a, b)


def _subtract_in_place(a: Any, b: Any) -> Any:
    a -= b
    return limits.checked_integer(a)


def _multiply_in_place(a: Any, b: Any) -> Any:
    return multiply(a, b) if not isinstance(a, list) else _IMUL(a, _checked_repeat(a, b))


def _checked_repeat(a: list[Any], b: Any) -> Any:
    if isinstance(b, int):
        limits.current().charge(len(a) * max(0, b), "list")
    return b


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: op.truediv,
    ast.FloorDiv: op.floordiv,
    ast.Mod: remainder,
    ast.Pow: power,
    ast.BitOr: op.or_,
    ast.BitAnd: op.and_,
    ast.BitXor: op.xor,
    ast.MatMult: op.matmul,
    ast.LShift: shift_left,
    ast.RShift: op.rshift,
}
IN_PLACE: dict[type[ast.operator], Binary] = {
    **BINARY,
    ast.Add: _add_in_place,
    ast.Sub: _subtract_in_place,
    ast.Mult: _multiply_in_place,
    ast.BitOr: op.ior,
    ast.BitAnd: op.iand,
}
COMPARE: dict[type[ast.cmpop], Binary] = {
    ast.Eq: equal,
    ast.NotEq: not_equal,
    ast.Lt: op.lt,
    ast.LtE: op.le,
    ast.Gt: op.gt,
    ast.GtE: op.ge,
    ast.Is: op.is_,
    ast.IsNot: op.is_not,
    ast.In: contains,
    ast.NotIn: lambda a, b: a not in b,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: op.neg,
    ast.UAdd: op.pos,
    ast.Not: op.not_,
    ast.Invert: op.invert,
}
