"""The `numpy` that evaluated code imports, as far as constructors use it."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.operators import multiply, power
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes import tensor_functions
from loadproof.interpret.shapes.dtypes import DType
from loadproof.interpret.shapes.sizes import product
from loadproof.interpret.shapes.tensor import Tensor, valued

_PLAIN = (int, float)
_ROUNDING = ("log2", "log", "sqrt", "ceil", "floor", "sin", "cos", "exp")


def _prod(values: Any, *_: object, **__: object) -> Any:
    if isinstance(values, (int, float)):
        return values
    numbers = values.values if isinstance(values, Tensor) else list(values)
    return Unknown("a tensor's value") if numbers is None else product(numbers)


def _linspace(start: Any, end: Any, count: int = 50, **_: object) -> Tensor:
    limits.current().charge(count, "numpy.linspace")
    return valued([start + (end - start) * i / max(1, count - 1) for i in range(count)])


def _cumsum(values: Value, *axis: Value, **_: object) -> Tensor:
    return tensor_functions.tensor(values).cumsum(*axis)


def _cumprod(values: Value, *_: object, **__: object) -> Tensor:
    made = tensor_functions.tensor(values)
    return Tensor(made.shape) if made.values is None else valued(list(accumulate(made.values, multiply)))


def _argsort(values: Value, *_: object, **__: object) -> Tensor:
    made = tensor_functions.tensor(values)
    numbers = made.values
    return made if numbers is None else valued(sorted(range(len(numbers)), key=numbers.__getitem__))


def _power(base: Any, exponent: Any) -> Any:
    if type(base) in _PLAIN and type(exponent) in _PLAIN:  # tables of sines ask a million times
        return power(base, exponent)
    return tensor_functions.elementwise(base, exponent)


def _number(function: Any) -> Any:
    return lambda x, *a: function(x, *a) if isinstance(x, (int, float)) else tensor_functions.elementwise(x)


def _meshgrid(*parts: Value, indexing: str = "xy", **_: object) -> Value:
    return tensor_functions.meshgrid(*parts, indexing=indexing)


def _round(x: Any, digits: int = 0) -> Any:
    return x if isinstance(x, Tensor) else round(x, digits)


NUMPY = Namespace(
    "numpy",
    {
        **{name: _number(getattr(math, name)) for name in _ROUNDING},
        **dict.fromkeys(("zeros", "ones", "empty"), tensor_functions.factory),
        **dict.fromkeys(("zeros_like", "ones_like", "tanh"), tensor_functions.elementwise),
        "outer": lambda a, b: tensor_functions.tensor(a).outer(tensor_functions.tensor(b)),
        "concatenate": tensor_functions.cat,
        "stack": tensor_functions.stack,
        "einsum": tensor_functions.einsum,
        "meshgrid": _meshgrid,
        "newaxis": None,
        "pi": math.pi,
        "prod": _prod,
        "power": _power,
        "linspace": _linspace,
        "cumsum": _cumsum,
        "cumprod": _cumprod,
        "argsort": _argsort,
        "arange": tensor_functions.arange,
        "array": tensor_functions.tensor,
        "round": _round,
        "float32": DType("float32"),
        "int64": int,
        "ndarray": Tensor,
    },
)
