"""A treemap: rectangles whose areas are given, as near to squares as they come (Bruls, Huizing, van Wijk 2000)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Rectangle(Struct, frozen=True):
    left: float
    top: float
    width: float
    height: float


def treemap(weights: Sequence[float], width: float = 100.0, height: float = 100.0) -> list[Rectangle]:
    """One rectangle for each weight, which are positive and in falling order; together they fill the area."""
    total = sum(weights)
    if not total:
        return []
    areas = [weight * width * height / total for weight in weights]
    placed: list[Rectangle] = []
    free = Rectangle(0.0, 0.0, width, height)
    while len(placed) < len(areas):
        row = _row(areas[len(placed) :], min(free.width, free.height))
        rectangles, free = _laid(row, free)
        placed += rectangles
    return placed


def _row(areas: Sequence[float], side: float) -> list[float]:
    """The areas that share one strip along the shorter side: more are taken while the worst of them gets better."""
    row = [areas[0]]
    for area in areas[1:]:
        if _worst([*row, area], side) > _worst(row, side):
            break
        row.append(area)
    return row


def _worst(row: Sequence[float], side: float) -> float:
    """The longest aspect of the strip's rectangles."""
    total = sum(row)
    if not total or not side:
        return float("inf")
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))


def _laid(row: Sequence[float], free: Rectangle) -> tuple[list[Rectangle], Rectangle]:
    """The strip at the left or the top of the free area, and what stays free."""
    total, placed = sum(row), []
    if free.width >= free.height:
        width, top = (total / free.height if free.height else 0.0), free.top
        for area in row:
            placed.append(Rectangle(free.left, top, width, area / width if width else 0.0))
            top += placed[-1].height
        return placed, Rectangle(free.left + width, free.top, max(free.width - width, 0.0), free.height)
    height, left = (total / free.width if free.width else 0.0), free.left
    for area in row:
        placed.append(Rectangle(left, free.top, area / height if height else 0.0, height))
        left += placed[-1].width
    return placed, Rectangle(free.left, free.top + height, free.width, max(free.height - height, 0.0))
