"""Matrices stored with rows and columns swapped: what LP211 and LP503 share."""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.core.edits import Fix, TransposeTensors
from loadproof.core.families import count, show
from loadproof.core.outcome import Row
from loadproof.rules.base import Found
from loadproof.rules.evidence.flat_matrices import is_same_data, stored_axes
from loadproof.rules.evidence.wording import plural, row_evidence


def is_swapped(row: Row) -> bool:
    """The two last dimensions exchanged; square matrices show nothing and so are never meant."""
    found, expected = row.found, row.expected
    if found is None or expected is None or len(found) != len(expected) or len(found) < 2 or not is_same_data(row):
        return False
    if 1 in found[-2:]:
        return False  # a dimension of one moved is a question of rank, not of order
    return found != expected and found[:-2] == expected[:-2] and found[-2:] == (expected[-1], expected[-2])


def swapped_finding(rows: Sequence[Row]) -> Found:
    """One finding for all of them, with the turn as its repair."""
    number = sum(count(row.axes) for row in rows)
    name = rows[0].stored or rows[0].template
    name = show(name, stored_axes(rows[0]))
    what = name if number == 1 else plural(number, "matrix").replace("matrixs", "matrices")
    headline = f"{what} {'is' if number == 1 else 'are'} stored transposed"
    edits = tuple(
        TransposeTensors(row.stored, stored_axes(row), (len(row.found or ()) - 2, len(row.found or ()) - 1))
        for row in rows
        if row.stored is not None
    )
    fix = Fix("swap rows and columns; every number is kept, the data is rewritten", "lossless", edits)
    return Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=row_evidence(rows),
        rows=tuple(rows),
        fixes=(fix,),
    )
