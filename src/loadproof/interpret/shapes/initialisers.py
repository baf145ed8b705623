"""`torch.nn.init`: what they fill a tensor with, as far as that is known without numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.objects import Namespace
from loadproof.interpret.language.values import Names, Value
from loadproof.interpret.shapes.filling import Fill, fill_of_number
from loadproof.interpret.shapes.tensor import Tensor

_FEW = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"


def _filling(word: Fill) -> Callable[..., Value]:
    def fill(tensor: Value, *_: Value, **__: Value) -> Value:
        if isinstance(tensor, Tensor):
            tensor.values, tensor.fill = None, word
        return tensor

    return fill


def _constant(tensor: Value, value: Value = None, *_: Value, val: Value = None) -> Value:
    return _filling(fill_of_number(val if value is None else value))(tensor)


def _by_fan(tensor: Value, *_: Value, **__: Value) -> Value:
    """Those that need two dimensions."""
    if isinstance(tensor, Tensor) and tensor.shape is not None and len(tensor.shape) < 2:
        raise certain(ValueError(_FEW))
    return _filling("other")(tensor)


def _fan(tensor: Any, mode: str = "fan_in") -> Any:
    """`_calculate_correct_fan`"""
    shape = tensor.known()
    if len(shape) < 2:
        raise certain(ValueError(_FEW))
    return (shape[1] if mode.lower() == "fan_in" else shape[0]) * math.prod(shape[2:])


_BY_FAN = "kaiming_uniform_ kaiming_normal_ xavier_uniform_ xavier_normal_"
_MEMBERS: Names = {
    "zeros_": _filling("zero"),
    "ones_": _filling("one"),
    "constant_": _constant,
    "_calculate_correct_fan": _fan,
    **dict.fromkeys(_BY_FAN.split(), _by_fan),
}


INIT = Namespace("torch.nn.init", _MEMBERS, lambda _: _filling("other"))
