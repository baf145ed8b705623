"""`math`, `operator` and `functools`, with bounds where they could run away."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from loadproof.interpret.language import operators
from loadproof.interpret.language.errors import ForbiddenAttribute, LimitReached
from loadproof.interpret.language.gate import read
from loadproof.interpret.language.itertools_names import counted
from loadproof.interpret.language.typing_names import transparent
from loadproof.interpret.language.values import Function, Names, Value

_NAMES = (
    "sqrt log log2 log10 log1p exp ceil floor trunc pi e inf nan tau sin cos tan tanh atan atan2 asin acos sinh "
    "cosh pow prod "
    "gcd lcm isqrt fabs fmod isclose isfinite isinf isnan copysign hypot erf erfc radians degrees dist fsum expm1 "
    "modf frexp"
)


def _factorial(n: int) -> int:
    if n > 500:
        raise LimitReached(f"factorial of {n}")
    return math.factorial(n)


def _comb(n: int, k: int) -> int:
    if n > 2_000:
        raise LimitReached(f"comb of {n}")
    return math.comb(n, k)


def _prod(items: Iterable[Value], start: Value = 1) -> Value:
    for item in items:
        start = operators.multiply(start, item)
    return start


MATH: Names = {name: getattr(math, name) for name in _NAMES.split()}
MATH.update(factorial=_factorial, comb=_comb, prod=_prod)


# ---------------------------------------------------------------- functools, operator
def _reduce(function: Function, items: Iterable[Value], *start: Value) -> Value:
    return functools.reduce(function, counted(items), *start)


def _item_getter(*keys: Any) -> Callable[[Any], Any]:
    return lambda value: value[keys[0]] if len(keys) == 1 else tuple(value[key] for key in keys)


def _attribute_getter(*paths: str) -> Callable[[Value], Value]:
    """`operator.attrgetter`, each step of a dotted path through the gate."""

    def get(value: Value) -> Value:
        found = [functools.reduce(_step, path.split("."), value) for path in paths]
        return found[0] if len(found) == 1 else tuple(found)

    return get


def _step(value: Value, name: str) -> Value:
    if name.startswith("__"):
        raise ForbiddenAttribute(f"operator.attrgetter of {name}")
    found: Value = read(value, name)
    return found


FUNCTOOLS: Names = {
    "partial": functools.partial,
    "reduce": _reduce,
    "wraps": lambda *_, **__: transparent,
    "lru_cache": transparent,
    "cache": transparent,
    "cached_property": property,
    "singledispatch": transparent,
}
OPERATOR: Names = {
    n: getattr(operator, n) for n in ["sub", "truediv", "floordiv", "neg", "eq", "ne", "lt", "le", "gt", "ge", "not_"]
}
OPERATOR.update(itemgetter=_item_getter, attrgetter=_attribute_getter)
OPERATOR.update(add=operators.add, __add__=operators.add, mul=operators.multiply, mod=operators.remainder)
