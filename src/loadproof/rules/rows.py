"""Set algebra over rows: a row is a product of index sets, and so stays folded through every cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from loadproof.core import boxes
from loadproof.core.families import count
from loadproof.core.outcome import Row, RowKind
from loadproof.core.tensors import Axes

_Few = Sequence[tuple[int, Axes]]  # (place in the list of claims, axes)
_Claims = dict[tuple[RowKind, str], "_Few | _Many"]


def meet_axes(axes: Axes, other: Axes) -> Axes | None:
    """The indices that both products hold, None when they share no name."""
    return boxes.intersect(axes, other) if len(axes) == len(other) else None


def subtract(rows: Iterable[Row], claimed: Iterable[Row]) -> list[Row]:
    """`rows` without every name that `claimed` holds under the same kind."""
    claims = _claims(claimed)
    return [piece for row in rows for piece in _without(row, claims)]


def meet(rows: Sequence[Row], claimed: Iterable[Row]) -> list[Row]:
    """The part of `rows` that `claimed` names, each name once, in the order of `claimed`."""
    claims = _claims(claimed)
    found: list[tuple[int, int, Row]] = []
    for place, row in enumerate(rows):
        left = [row.axes]
        for number, claim in _near(row, claims):
            common = [both for box in left if (both := meet_axes(box, claim)) is not None]
            found += [(number, place, row if both == row.axes else replace(row, axes=both)) for both in common]
            left = [rest for box in left for rest in boxes.subtract(box, claim)] if common else left
    return [row for _, _, row in sorted(found, key=lambda part: part[:2])]


class _Many:
    """Many claims of one name; only those near a row are looked at, and of these only the equal one if there is one."""

    __slots__ = ("_by_width", "_exact")

    def __init__(self, claims: _Few) -> None:
        self._exact = {axes: number for number, axes in reversed(claims)}
        self._by_width: dict[int, tuple[boxes.Nearby, list[int]]] = {}
        for number, axes in claims:
            nearby, numbers = self._by_width.setdefault(len(axes), (boxes.Nearby(), []))
            nearby.add(axes)
            numbers.append(number)

    def near(self, axes: Axes) -> _Few:
        if (number := self._exact.get(axes)) is not None:
            return [(number, axes)]
        nearby, numbers = self._by_width.get(len(axes), (boxes.Nearby(), []))
        return [(numbers[place], nearby[place]) for place in nearby.near(axes)]


def _claims(claimed: Iterable[Row]) -> _Claims:
    """The axes that are claimed of each name, with their places in the list of claims."""
    found: dict[tuple[RowKind, str], list[tuple[int, Axes]]] = {}
    for number, claim in enumerate(claimed):
        found.setdefault((claim.kind, claim.template), []).append((number, claim.axes))
    return {name: _Many(few) if len(few) > boxes.FEW else few for name, few in found.items()}


def _near(row: Row, claims: _Claims) -> _Few:
    """The claims that may share a name with the row."""
    of_name = claims.get((row.kind, row.template))
    if of_name is None:
        return ()
    if isinstance(of_name, _Many):
        return of_name.near(row.axes)
    return [claim for claim in of_name if len(claim[1]) == len(row.axes)]


def _without(row: Row, claims: _Claims) -> list[Row]:
    near = _near(row, claims)
    pieces = boxes.subtract_all([row.axes], (axes for _, axes in near)) if near else [row.axes]
    return [row] if pieces == [row.axes] else [replace(row, axes=piece) for piece in pieces]


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
