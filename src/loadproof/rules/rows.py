"""Set algebra over rows: a row is a product of index sets, and so stays folded through every cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from loadproof.core import boxes
from loadproof.core.families import count
from loadproof.core.outcome import Row, RowKind
from loadproof.core.tensors import Axes


def meet_axes(axes: Axes, other: Axes) -> Axes | None:
    """The indices that both products hold, None when they share no name."""
    return boxes.intersect(axes, other) if len(axes) == len(other) else None


def subtract(rows: Iterable[Row], claimed: Iterable[Row]) -> list[Row]:
    """`rows` without every name that `claimed` holds under the same kind."""
    left = list(rows)
    for claim in claimed:
        left = [piece for row in left for piece in _without(row, claim)]
    return left


def meet(rows: Sequence[Row], claimed: Iterable[Row]) -> list[Row]:
    """The part of `rows` that `claimed` names, each name once."""
    found: list[Row] = []
    left = list(rows)
    for claim in claimed:
        for row in left:
            common = meet_axes(row.axes, claim.axes) if _same_name(row, claim) else None
            if common is not None:
                found.append(row if common == row.axes else replace(row, axes=common))
        left = [piece for row in left for piece in _without(row, claim)]
    return found


def count_rows(rows: Iterable[Row], kind: RowKind | None = None) -> int:
    """How many names the rows stand for, of one kind or of all."""
    return sum(count(row.axes) for row in rows if kind is None or row.kind == kind)


def of_kind(rows: Iterable[Row], *kinds: RowKind) -> list[Row]:
    return [row for row in rows if row.kind in kinds]


def tally(rows: Iterable[Row]) -> str:
    """``7 missing, 4 unexpected``, in the order of the library's report; empty for no rows."""
    rows = list(rows)
    kinds: tuple[RowKind, ...] = ("missing", "unexpected", "mismatched", "conversion", "misread")
    counts = [(count_rows(rows, kind), kind) for kind in kinds]
    return ", ".join(f"{number} {kind}" for number, kind in counts if number)


def _same_name(row: Row, claim: Row) -> bool:
    return row.kind == claim.kind and row.template == claim.template


def _without(row: Row, claim: Row) -> list[Row]:
    if not _same_name(row, claim):
        return [row]
    pieces = boxes.subtract(row.axes, claim.axes)
    return [row] if pieces == [row.axes] else [replace(row, axes=piece) for piece in pieces]
