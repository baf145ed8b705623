"""Which indices a pattern can tell apart, so that one search stands for a whole family.

Claim: two names that differ only in their index parts are treated alike by a pattern (the same match or none, the same
spans) when the indices have the same number of digits and agree wherever one of them has a digit of `telling_digits`.
Why: every atom of a regular expression either never matches a digit (a letter, a dot), or matches all digits alike
(``.``, ``\\w``, ``\\d``, ``[0-9]``, ``[^.]``), or names digits, and those are the telling ones. A digit that follows a
letter in the pattern (``w1``, ``conv2d``) can never meet an index, because an index follows a dot or starts the name.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loadproof.core.boxes import Axis
from loadproof.core.tensors import Axes

ALL = frozenset("0123456789")
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_RANGE_TO_A_DIGIT = re.compile(r".-[0-9]|[0-9]-.")
_QUANTIFIER = re.compile(r"\{[0-9]*+(?:,[0-9]*+)?\}")
_GUARDED = re.compile(r"(?<!\\)[A-Za-z_][0-9]+")


@cache
def telling_digits(pattern: str) -> frozenset[str]:
    """The digits that the regular expression `pattern` can tell from other digits when they stand in an index."""
    if _BACK_REFERENCE.search(pattern):
        return ALL
    told: set[str] = set()
    for found in _CLASS.findall(pattern):
        body = found.replace("0-9", "").replace(r"\d", "")
        if _RANGE_TO_A_DIGIT.search(body):
            return ALL
        told.update(c for c in body if c in ALL)
    rest = _QUANTIFIER.sub("", _CLASS.sub(" ", pattern))
    told.update(c for c in _GUARDED.sub(" ", rest) if c in ALL)
    return frozenset(told)


@cache
def telling_digits_of_text(text: str) -> frozenset[str]:
    """The same for literal text that is searched or replaced in names."""
    return frozenset(c for c in _GUARDED.sub(" ", text) if c in ALL)


@lru_cache(maxsize=4096)
def classes(axis: Axis, told: frozenset[str]) -> tuple[Axis, ...]:
    """The axis cut into runs of indices that no pattern with these telling digits can tell apart."""
    if len(axis) == 1:
        return (axis,)
    if not told:
        found: dict[object, list[int]] = {}
        for index in axis:
            found.setdefault(len(str(index)), []).append(index)
    else:
        table = {ord(c): "x" for c in ALL - told}
        found = {}
        for index in axis:
            found.setdefault(str(index).translate(table), []).append(index)
    return tuple(map(tuple, found.values()))


def partition(axes: Axes, told: frozenset[str], used: frozenset[int]) -> list[Axes]:
    """The box cut along the axes in `used` so that each part is treated alike; other axes stay whole."""
    boxes: list[Axes] = [()]
    for k, axis in enumerate(axes):
        parts = classes(axis, told) if k in used else (axis,)
        boxes = [(*box, part) for box in boxes for part in parts]
    return boxes
