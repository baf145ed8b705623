"""Set algebra on products of index sets ("boxes"), so that families need not be expanded to names."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.families import as_products, count
from loadproof.core.tensors import Axes

Axis = tuple[int, ...]


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
    """What is left of `boxes` once every box of `taken` is cut out."""
    left = list(boxes)
    for other in taken:
        left = [rest for box in left for rest in subtract(box, other)]
        if not left:
            break
    return left


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
