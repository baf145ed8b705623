"""Set algebra on products of index sets ("boxes"), so that families need not be expanded to names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadproof.core.families import as_products, count
from loadproof.core.tensors import Axes

Axis = tuple[int, ...]
FEW = 16  # boxes that are simply compared one by one


def common(a: Axis, b: Axis) -> Axis:
    """Indices in both, sorted."""
    if a == b:
        return a
    members = set(b)
    return tuple(i for i in a if i in members)


def intersect(a: Axes, b: Axes) -> Axes | None:
    """The members of both boxes, None when there are none."""
    if a == b:
        return a
    axes = []
    for x, y in zip(a, b, strict=True):
        both = common(x, y)
        if not both:
            return None
        axes.append(both)
    return tuple(axes)


def subtract(a: Axes, b: Axes) -> list[Axes]:
    """Disjoint boxes that hold the members of `a` outside `b`."""
    inner = intersect(a, b)
    if inner is None:
        return [a]
    rest, head = [], a
    for i, axis in enumerate(inner):
        if len(axis) < len(head[i]):
            inside = set(axis)
            outside = tuple(x for x in head[i] if x not in inside)
            rest.append((*head[:i], outside, *head[i + 1 :]))
            head = (*head[:i], axis, *head[i + 1 :])
    return rest


def subtract_all(boxes: Iterable[Axes], taken: Iterable[Axes]) -> list[Axes]:
    """What is left of `boxes` (disjoint ones) once every box of `taken` is cut out."""
    left, gone = list(boxes), list(taken)
    if len(gone) > FEW:
        return _difference(left, gone)
    for other in gone:
        left = [rest for box in left for rest in subtract(box, other)]
        if not left:
            break
    return left


def _difference(boxes: list[Axes], taken: list[Axes]) -> list[Axes]:
    """The same for many boxes, in time that grows with their members: index by index of the first axis."""
    if not taken or not boxes:
        return boxes
    if not boxes[0]:
        return []
    ours, theirs = _by_first(boxes), _by_first(taken)
    known: dict[tuple[tuple[Axes, ...], tuple[Axes, ...]], tuple[Axes, ...]] = {}
    equal_rest: dict[tuple[Axes, ...], list[int]] = {}
    for first in sorted(ours):
        key = (tuple(ours[first]), tuple(theirs.get(first, ())))
        rest = known.get(key) or known.setdefault(key, tuple(_difference(list(key[0]), list(key[1]))))
        equal_rest.setdefault(rest, []).append(first)
    return [(tuple(firsts), *rest) for rests, firsts in equal_rest.items() for rest in rests]


def _by_first(boxes: Iterable[Axes]) -> dict[int, list[Axes]]:
    found: dict[int, list[Axes]] = {}
    for first_axis, *rest in boxes:
        for first in first_axis:
            found.setdefault(first, []).append(tuple(rest))
    return found


class Nearby:
    """Boxes of one width, to be asked which of them may share a member with another box.

    Few boxes are all named; of many only those that share an index on the axis that separates them best.
    """

    __slots__ = ("_axes", "_boxes")

    def __init__(self, boxes: Iterable[Axes] = ()) -> None:
        self._boxes: list[Axes] = []
        self._axes: list[dict[int, list[int]]] | None = None
        for box in boxes:
            self.add(box)

    def __len__(self) -> int:
        return len(self._boxes)

    def __getitem__(self, number: int) -> Axes:
        return self._boxes[number]

    def __iter__(self) -> Iterator[Axes]:
        return iter(self._boxes)

    def add(self, box: Axes) -> None:
        """Take one more box; its number is how many there were before."""
        self._boxes.append(box)
        if self._axes is None and len(self._boxes) > FEW:
            self._axes = [{} for _ in box]
            for number, held in enumerate(self._boxes):
                _enter(self._axes, number, held)
        elif self._axes is not None:
            _enter(self._axes, len(self._boxes) - 1, box)

    def near(self, box: Axes) -> Iterable[int]:
        """The numbers of all boxes that share a member with `box`, and of some that do not, ascending."""
        best: list[list[int]] | None = None
        fewest = len(self._boxes)
        for held, axis in zip(self._axes or (), box, strict=False):
            found = [held[index] for index in axis if index in held]
            size = sum(map(len, found))
            if size < fewest:
                best, fewest = found, size
        return range(len(self._boxes)) if best is None else sorted(set().union(*best))

    def boxes_near(self, box: Axes) -> list[Axes]:
        """The boxes themselves."""
        return [self._boxes[number] for number in self.near(box)]


def _enter(axes: list[dict[int, list[int]]], number: int, box: Axes) -> None:
    for held, axis in zip(axes, box, strict=True):
        for index in axis:
            held.setdefault(index, []).append(number)


def merge(boxes: list[Axes], limit: int = 100_000) -> list[Axes]:
    """The same members in fewer boxes; boxes must be disjoint. More members than `limit` are left as they are."""
    if len(boxes) < 2:
        return boxes
    whole = tuple(tuple(sorted(set().union(*(b[i] for b in boxes)))) for i in range(len(boxes[0])))
    total = sum(map(count, boxes))
    if count(whole) == total:
        return [whole]
    if total > limit:
        return boxes
    return as_products(point for box in boxes for point in points(box))


def points(box: Axes) -> list[tuple[int, ...]]:
    """The members, first axis slowest."""
    found: list[tuple[int, ...]] = [()]
    for axis in box:
        found = [(*head, i) for head in found for i in axis]
    return found
