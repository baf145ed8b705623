"""Rows of the report about the files as they are, found again among the rows of a report about edited files.

What the model names keeps its name. What is left over is known by its name in the file, which the edits may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from loadproof.api.edited_tensors import CannotTellError, after
from loadproof.core.boxes import intersect, subtract_all
from loadproof.core.edits import DropTensors, Edit, RenameTensors
from loadproof.core.outcome import Row
from loadproof.core.tensors import Axes, Family
from loadproof.rules.rows import meet, subtract

_Boxes = dict[str, list[Axes]]


def split(rows: Sequence[Row], others: Iterable[Row], plan: Sequence[Edit]) -> tuple[list[Row], list[Row]]:
    """(rows that are among the others, the rest); `plan` leads from the files of the rows to those of the others."""
    others = list(others)
    named = [row for row in rows if row.kind != "unexpected"]
    inside, outside = meet(named, others), subtract(named, others)
    boxes: _Boxes = {}
    for row in others:
        if row.kind == "unexpected":
            boxes.setdefault(row.stored or row.template, []).append(_stored_axes(row))
    moves = [edit for edit in plan if isinstance(edit, RenameTensors | DropTensors)]
    for row in rows:
        if row.kind == "unexpected":
            one, other = _parted(row, boxes, moves)
            inside, outside = [*inside, *one], [*outside, *other]
    return inside, outside


def _parted(row: Row, boxes: _Boxes, moves: Sequence[Edit]) -> tuple[list[Row], list[Row]]:
    axes = _stored_axes(row)
    try:
        moved = after([Family(row.stored or row.template, axes, None, None)], moves)
    except (CannotTellError, ValueError):
        return [row], []
    found = [
        both
        for family in moved
        for box in boxes.get(family.template, ())
        if len(box) == len(family.axes) and (both := intersect(box, family.axes)) is not None
    ]
    if not found:
        return [], [row]
    if axes != row.axes or any(len(box) != len(axes) for box in found):
        return [row], []
    pieces = subtract_all([row.axes], found)
    inside = subtract_all([row.axes], pieces) if pieces else [row.axes]
    return [_part(row, box) for box in inside], [_part(row, box) for box in pieces]


def _part(row: Row, axes: Axes) -> Row:
    return row if axes == row.axes else replace(row, axes=axes, stored_axes=axes)


def _stored_axes(row: Row) -> Axes:
    return row.axes if row.stored_axes is None else row.stored_axes
