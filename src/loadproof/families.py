"""Names folded into families, and back, without loss.

A name is cut at its all-digit dot parts: ``model.layers.11.mlp.weight`` is the template ``model.layers.{}.mlp.weight``
with the index ``(11,)``. Names whose fold could not be undone exactly (leading zeros, literal braces) stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import product
from math import prod
from typing import TypeVar

from loadproof.types import Axes

Key = TypeVar("Key", bound=Hashable)
_INDEX = re.compile(r"(?:(?<=\.)|(?<=\A))(0|[1-9][0-9]{0,8})(?=\.|\Z)")
HOLE = "{}"


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """Template and indices of one name; ``("lm_head.weight", ())`` when there is nothing to fold."""
    pieces = _INDEX.split(name)
    if len(pieces) == 1 or "{" in name or "}" in name:
        return name, ()
    return HOLE.join(pieces[::2]), tuple(map(int, pieces[1::2]))


def join_name(template: str, indices: tuple[int, ...]) -> str:
    """The one name of a template at these indices."""
    if not indices:
        return template
    pieces = template.split(HOLE)
    return pieces[0] + "".join(f"{index}{piece}" for index, piece in zip(indices, pieces[1:], strict=True))


def names_of(template: str, axes: Axes) -> Iterator[str]:
    """Every name of a family, in natural order."""
    return (join_name(template, indices) for indices in product(*axes))


def count(axes: Axes) -> int:
    """How many names a family stands for (1 without axes)."""
    return prod(map(len, axes))


def fold(items: Iterable[tuple[str, Key]]) -> list[tuple[str, Axes, Key]]:
    """Fold (name, key) pairs; names fold together only under equal keys. Order of first appearance is kept.

    The result is lossless: its families expand to exactly the given names, each once.
    """
    groups: dict[tuple[str, Key], list[tuple[int, ...]]] = {}
    split, hole = _INDEX.split, HOLE
    for name, key in items:
        pieces = split(name)
        if len(pieces) == 1 or "{" in name or "}" in name:
            groups.setdefault((name, key), []).append(())
        else:
            groups.setdefault((hole.join(pieces[::2]), key), []).append(tuple(map(int, pieces[1::2])))
    return [(t, axes, key) for (t, key), found in groups.items() for axes in as_products(found)]


def as_products(indices: Iterable[tuple[int, ...]]) -> list[Axes]:
    """Cut a set of index tuples of one length into disjoint full products."""
    members = set(indices)
    if not members:
        return []
    width = len(next(iter(members)))
    if width == 0:
        return [()]
    axes = tuple(tuple(sorted({m[i] for m in members})) for i in range(width))
    if count(axes) == len(members):
        return [axes]
    by_first: dict[int, list[tuple[int, ...]]] = {}
    for member in members:
        by_first.setdefault(member[0], []).append(member[1:])
    equal_rest: dict[tuple[Axes, ...], list[int]] = {}
    for first in sorted(by_first):
        equal_rest.setdefault(tuple(as_products(by_first[first])), []).append(first)
    return [(tuple(firsts), *rest) for rests, firsts in equal_rest.items() for rest in rests]


def show_axis(indices: tuple[int, ...], universe: tuple[int, ...] | None = None) -> str:
    """``0-2,5`` ; with a universe and few gaps ``all but 3,7``; regular steps ``3-47:4``."""
    if universe is not None and len(indices) > 2:
        gaps = sorted(set(universe) - set(indices))
        if 0 < len(gaps) <= 3 and len(indices) > 2 * len(gaps):
            return "all but " + ",".join(map(str, gaps))
    step = indices[1] - indices[0] if len(indices) > 3 else 1
    if step > 1 and all(b - a == step for a, b in zip(indices, indices[1:], strict=False)):
        return f"{indices[0]}-{indices[-1]}:{step}"
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def show(template: str, axes: Axes) -> str:
    """One line for a family: ``model.layers.{0-27}.mlp.up_proj.weight``; a single index is printed bare."""
    if not axes:
        return template
    pieces = template.split(HOLE)
    texts = [str(a[0]) if len(a) == 1 else "{" + show_axis(a) + "}" for a in axes]
    return pieces[0] + "".join(t + p for t, p in zip(texts, pieces[1:], strict=True))
