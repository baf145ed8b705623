"""Matrices stored as one long row: what LP201, LP202 and LP504 share."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.edits import Fix, ReshapeTensors
from loadproof.core.outcome import Row
from loadproof.core.tensors import Axes, Shape
from loadproof.rules.evidence.wording import elements

PACKED = frozenset({"U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "BOOL"})


def is_flat(row: Row) -> bool:
    """A matrix (or more) stored in one dimension, with exactly the elements it should have.

    The count is the proof: a slice of a sharded parameter is one-dimensional too but has another length, and packed
    4-bit data has half the elements in an integer type.
    """
    return row.found is not None and len(row.found) == 1 and is_same_data(row) and len(row.expected or ()) > 1


def is_squeezed(row: Row) -> bool:
    """The same sizes in the same order, but dimensions of size one were dropped or added."""
    if row.found is None or row.expected is None or not is_same_data(row):
        return False
    return row.found != row.expected and _core(row.found) == _core(row.expected)


def is_same_data(row: Row) -> bool:
    """Equal element counts in a type that is not packed."""
    return row.kind == "mismatched" and row.dtype not in PACKED and elements(row.found) == elements(row.expected) > 0


def reshape_fix(rows: Iterable[Row]) -> tuple[Fix, ...]:
    """Header-only: the bytes stay, the shape is written as the class wants it."""
    edits = tuple(
        ReshapeTensors(row.stored, stored_axes(row), row.expected)
        for row in rows
        if row.stored is not None and row.expected is not None
    )
    if not edits:
        return ()
    text = "write the shape of the class into the header; no byte of the data changes"
    return (Fix(text, "lossless", edits),)


def stored_axes(row: Row) -> Axes:
    """The indices of the stored template; those of the reader's name where both have as many."""
    holes = (row.stored or "").count("{}")
    return row.axes if holes == len(row.axes) else row.axes[-holes:] if holes else ()


def _core(shape: Shape) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)
