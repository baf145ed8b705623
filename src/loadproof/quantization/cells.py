"""Parts of modules brought together: which indices of one module hold the same parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loadproof.core.families import union
from loadproof.core.tensors import Axes, Family

Labelled = tuple[int, Axes]  # the number of a family, and a box of its indices


def cells(families: Sequence[Family]) -> Iterator[tuple[Axes, tuple[Family, ...]]]:
    """Disjoint boxes of indices, each with all families that hold it; in time that grows with the indices."""
    if all(family.axes == families[0].axes for family in families):
        yield families[0].axes, tuple(families)
        return
    for held, boxes in _parted(list(enumerate(family.axes for family in families)), {}).items():
        for box in boxes:
            yield box, tuple(families[number] for number in held)


_Known = dict[tuple[Labelled, ...], dict[tuple[int, ...], list[Axes]]]


def _parted(boxes: Sequence[Labelled], known: _Known) -> dict[tuple[int, ...], list[Axes]]:
    """Sets of numbers -> the boxes that exactly these hold, cut index by index of the first axis."""
    if not boxes[0][1]:
        return {tuple(sorted({number for number, _ in boxes})): [()]}
    found: dict[tuple[int, ...], list[Axes]] = {}
    for first, rests in _by_first(boxes).items():
        if rests not in known:
            known[rests] = _parted(rests, known)
        for held, inner in known[rests].items():
            found.setdefault(held, []).extend(((first,), *box) for box in inner)
    return {held: union(inner) for held, inner in found.items()}


def _by_first(boxes: Iterable[Labelled]) -> dict[int, tuple[Labelled, ...]]:
    found: dict[int, list[Labelled]] = {}
    for number, (first_axis, *rest) in boxes:
        for first in first_axis:
            found.setdefault(first, []).append((number, tuple(rest)))
    return {first: tuple(found[first]) for first in sorted(found)}
