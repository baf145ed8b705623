"""Sizes: what a tensor knows of itself, and what torch refuses as a shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loadproof.interpret.language.errors import LimitReached, UnknownUsed, certain
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Open, Value
from loadproof.interpret.shapes.filling import Fill


def product(shape: Iterable[Any]) -> Any:
    result = 1
    for x in shape:
        result = result * x
    return result


LARGEST = 2**48  # elements along one dimension
_MOST_DIMENSIONS = 64  # torch allows no more


class Size(tuple[int, ...], Open):
    __direct__ = False

    def numel(self) -> Any:
        return product(self)


def flat(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """reshape(2, 3) and reshape((2, 3)) alike."""
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else tuple(args)


def sizes(dims: Iterable[Value], function: str = "empty") -> Size:
    """The sizes of a shape. Raises what torch raises for a float, a None or a negative number."""
    dims = list(dims)
    if len(dims) > _MOST_DIMENSIONS:
        raise LimitReached(f"a tensor of {len(dims):,} dimensions")
    made = Size(_dimension(x, at, function) for at, x in enumerate(dims))
    if any(x < 0 for x in made):
        raise certain(RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {list(made)}"))
    return made


def _dimension(x: Value, at: int, function: str) -> int:
    if isinstance(x, Sized):
        x = x.number()
    if not isinstance(x, int):
        if isinstance(x, Unknown):
            raise UnknownUsed("a tensor's size depends on a value that is not known")
        raise certain(TypeError(f"{function}(): argument 'size' {_not_an_integer(type(x).__name__, at)}"))
    if x > LARGEST:
        raise LimitReached(f"a tensor dimension of more than 2^{LARGEST.bit_length() - 1}")
    return int(x) if isinstance(x, bool) else x


def _not_an_integer(kind: str, at: int) -> str:
    """The words of torch 2.13: it looks at the first size when it picks the overload, at the others when it unpacks them."""
    if at == 0:
        return f"(position 1) must be tuple of ints, but found element of type {kind} at pos 0"
    return f'failed to unpack the object at pos {at + 1} with error "type must be tuple of ints,but got {kind}"'


class Sized(Open):
    """What a tensor knows: its sizes, and the numbers of a short one."""

    shape: Size | None
    fill: Fill = "other"
    values: list[Value] | None = None  # of one dimension, or the only one of none

    def known(self) -> Size:
        if self.shape is None:
            raise UnknownUsed("a tensor's shape is not known")
        return self.shape

    def number(self) -> Any:
        """The one known number. Raises UnknownUsed when there is none, or more than one."""
        if self.values is None or len(self.values) != 1:
            raise UnknownUsed("a tensor's value decides something and is not known")
        return self.values[0]
