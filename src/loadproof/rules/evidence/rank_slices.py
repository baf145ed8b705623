"""The arithmetic of rank-local slices: which rank of how many would leave exactly these lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import ceil

from msgspec import Struct

from loadproof.core.case import Case
from loadproof.core.expectation import Expected
from loadproof.core.families import join_name, names_of
from loadproof.core.outcome import Row
from loadproof.core.tensors import Shape
from loadproof.rules.evidence.vocabulary import head, is_tied
from loadproof.rules.evidence.wording import elements
from loadproof.rules.rows import of_kind

WORLDS = range(2, 1025)
Unit = Sequence[tuple[int, int]]  # (elements of the parameter, elements stored) in the order of the unit


class Slice(Struct, frozen=True):
    """A proof: the unit's total, cut into `world` chunks, gives the stored lengths on each of `ranks`."""

    world: int
    ranks: tuple[int, ...]
    total: int
    chunk: int
    names: tuple[str, ...]


def solve(unit: Unit) -> tuple[int, tuple[int, ...], int] | None:
    """(world, ranks, chunk) of the FSDP1 split that leaves exactly the stored lengths, None when there is none.

    T = sum of the elements, chunk = ceil(T / world), rank r owns [r*chunk, min((r+1)*chunk, T)). Several ranks that lie
    inside one parameter hold equal lengths.
    """
    total = sum(size for size, _ in unit)
    stored = [length for _, length in unit]
    for world in WORLDS:
        chunk = ceil(total / world)
        if sum(stored) in (chunk, total - chunk * (world - 1)):
            ranks = tuple(r for r in _ranks(unit, chunk, world) if _lengths(unit, chunk, r) == stored)
            if ranks:
                return world, ranks, chunk
    return None


def _ranks(unit: Unit, chunk: int, world: int) -> Iterator[int]:
    """The ranks whose span meets the stored elements; others cannot fit."""
    begin = 0
    for size, length in unit:
        if length:
            first = begin // chunk
            yield from range(max(0, first - 1), min(world, (begin + size) // chunk + 1))
            return
        begin += size


def _lengths(unit: Unit, chunk: int, rank: int) -> list[int]:
    lengths, begin = [], 0
    for size, _ in unit:
        end = begin + size
        lengths.append(max(0, min(end, (rank + 1) * chunk) - max(begin, rank * chunk)))
        begin = end
    return lengths


def fsdp1_unit(case: Case) -> Slice | None:
    """The proof that the parameters outside the layers (or all of them) are one rank's slice of an FSDP1 unit."""
    rows = [row for row in of_kind(case.outcome.rows, "mismatched") if _is_cut(row)]
    cut = {row.template for row in rows}
    if not any(elements(row.found) for row in rows):
        return None  # nothing but empty ones: placeholders, not the part of a rank
    for names, unit in _units(case, cut):
        found = solve(unit)
        if found is not None and found[2] < sum(size for size, _ in unit):
            world, ranks, chunk = found
            return Slice(world, ranks, sum(size for size, _ in unit), chunk, names)
    return None


def looks_cut(case: Case) -> list[Row]:
    """Rows of one-dimensional parts of matrices where others are empty: slices, though no unit solves them."""
    rows = [row for row in of_kind(case.outcome.rows, "mismatched") if _is_cut(row)]
    partial = [row for row in rows if 0 < elements(row.found) < elements(row.expected)]
    empty = [row for row in rows if row.found == (0,)]
    return [*partial, *empty] if partial and empty else []


def _is_cut(row: Row) -> bool:
    """Stored in one dimension, not as what it should be."""
    return row.found is not None and len(row.found) == 1 and row.found != row.expected


def _units(case: Case, cut: set[str]) -> Iterator[tuple[tuple[str, ...], Unit]]:
    """Candidate units: the root (everything outside the layers) in module order and other orders, then the whole"
    " model."""
    root = [e for e in _parameters(case) if not e.axes]
    if cut <= {e.template for e in root} and len(root) <= 5:
        for order in permutations(root):
            yield tuple(e.template for e in order), [(elements(e.shape), _stored_length(case, e)) for e in order]
    else:
        names, unit = _whole_model(case)
        yield names, unit


def _parameters(case: Case) -> list[Expected]:
    """Parameters that exist once: a tied head is the embedding itself."""
    tied = head(case) if is_tied(case) else None
    return [e for e in case.expectation.families if e.kind == "parameter" and e is not tied]


def _whole_model(case: Case) -> tuple[tuple[str, ...], Unit]:
    """Every parameter in module order: what stands before the layers, layer by layer, what stands behind them."""
    found = _found_shapes(case)
    first: dict[str, int] = {}
    order: list[tuple[tuple[int, ...], str, Shape]] = []
    for place, expected in enumerate(_parameters(case)):
        stack = first.setdefault(expected.template.partition(".{}.")[0], place)
        for indices in product(*expected.axes):
            key = (stack, indices[0], place, *indices[1:]) if indices else (place,)
            order.append((key, join_name(expected.template, indices), expected.shape))
    order.sort()
    unit = [(elements(shape), elements(found.get(name, shape))) for _, name, shape in order]
    return tuple(name for _, name, _ in order), unit


def _found_shapes(case: Case) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {}
    for row in of_kind(case.outcome.rows, "mismatched"):
        if row.found is not None:
            shapes.update(dict.fromkeys(names_of(row.template, row.axes), row.found))
    return shapes


def _stored_length(case: Case, expected: Expected) -> int:
    row = next((r for r in of_kind(case.outcome.rows, "mismatched") if r.template == expected.template), None)
    return elements(expected.shape) if row is None else elements(row.found)


__all__ = ["Slice", "fsdp1_unit", "looks_cut", "solve"]
