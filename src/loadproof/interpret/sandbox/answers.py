"""A child's answer is input like any other: it may only say what a repository says of itself, and in bounds."""

from __future__ import annotations

import msgspec

from loadproof.core.expectation import Expectation
from loadproof.core.families import count
from loadproof.core.tensors import Axes, Shape
from loadproof.interpret.language import limits
from loadproof.interpret.sandbox.packing import unpack

_LARGEST = 1 << 48  # one dimension
_INDEX = 1 << 31
_ODD = "what the model source makes cannot be told"


def decoded(data: bytes, asked: Expectation) -> Expectation:
    """The answer to what was asked, or why it is none. Which library and release it is about is not the child's to say."""
    try:
        found = unpack(data, Expectation)
    except (ValueError, TypeError, RecursionError):  # msgspec.ValidationError is a ValueError
        return msgspec.structs.replace(asked, inconclusive=_ODD)
    if found.source == "none" or not _is_in_bounds(found):
        return msgspec.structs.replace(asked, inconclusive=_ODD)
    return msgspec.structs.replace(
        found, reader=asked.reader, version=asked.version, hint=asked.hint, wall=None, forbidden_call=False
    )


def _is_in_bounds(found: Expectation) -> bool:
    """Whether no number is one that an evaluation cannot give: what follows expands names and shapes."""
    if any(not _fits(family.template, family.axes, family.shape) for family in found.families):
        return False
    total = sum(count(family.axes) for family in found.families)
    return found.parameters == total <= limits.TENSORS


def _fits(template: str, axes: Axes, shape: Shape) -> bool:
    is_named = template.split(".").count("{}") == len(axes)
    is_sorted = all(axis == tuple(sorted(set(axis))) and axis and axis[0] >= 0 and axis[-1] < _INDEX for axis in axes)
    return is_named and is_sorted and all(0 <= size <= _LARGEST for size in shape)
