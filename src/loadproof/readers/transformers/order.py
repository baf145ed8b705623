"""The order in which the reader visits keys (core_model_loading.py:1497): numbers by value and before words."""

from __future__ import annotations

from loadproof.core.families import HOLE
from loadproof.core.tensors import Axes

_LONGEST = 4000  # Python refuses to read longer numbers; the library would raise there
NaturalKey = list[tuple[int, int] | tuple[int, str] | tuple[int, str, int]]


def natural_key(name: str) -> NaturalKey:
    """Sort key of a name: ``layers.2`` < ``layers.10``; the digits that end a word count by value too."""
    key: NaturalKey = []
    for part in name.split("."):
        word = part.rstrip("0123456789")
        digits = part[len(word) :]
        if len(digits) > _LONGEST:
            key.append((1, part))
        elif not word and digits:
            key.append((0, int(digits)))
        else:
            key.append((1, word, int(digits)) if digits else (1, word))
    return key


def first_key(template: str, axes: Axes) -> NaturalKey:
    """The key of the first member of a family."""
    return natural_key(_write(template, tuple(axis[0] for axis in axes)))


def last_key(template: str, axes: Axes) -> NaturalKey:
    """The key of the last member of a family."""
    return natural_key(_write(template, tuple(axis[-1] for axis in axes)))


def _write(template: str, indices: tuple[int, ...]) -> str:
    if not indices:
        return template
    pieces = template.split(HOLE)
    return pieces[0] + "".join(f"{i}{piece}" for i, piece in zip(indices, pieces[1:], strict=True))
