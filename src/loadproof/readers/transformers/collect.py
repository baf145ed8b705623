"""Which stored tensors feed which parameter, cell by cell.

A *cell* is a box of parameters that all receive the same contributions, so it is judged once for all its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core.boxes import intersect, subtract
from loadproof.core.families import HOLE
from loadproof.core.tensors import Axes
from loadproof.readers.transformers.order import NaturalKey, natural_key
from loadproof.readers.transformers.pieces import Piece, Slot, dropped_axes, target_axes, within, write_out
from loadproof.readers.transformers.route import Arrival


class Contribution(Struct, frozen=True):
    """A piece that arrives at a template; `box` says at which of its names."""

    piece: Piece
    slots: tuple[Slot, ...]
    box: Axes

    def at(self, box: Axes) -> Axes:
        """The stored members that arrive inside `box`."""
        axes = within(self.piece.axes, self.slots, box)
        assert axes is not None
        return axes

    def names(self, box: Axes) -> list[str]:
        """Their names in the file."""
        return [write_out(self.piece.family.template, at) for at in product(*self.at(box))]


class Cell(Struct, frozen=True):
    """`box` of target names, and everything that arrives at each of them."""

    box: Axes
    contributions: tuple[Contribution, ...]


class Entry(Struct, frozen=True):
    """One stored tensor that arrives at one parameter."""

    key: NaturalKey
    name: str
    contribution: Contribution


def cells(arrivals: Iterable[Arrival]) -> list[Cell]:
    """Disjoint cells of the arrivals at one parameter family."""
    by_box: dict[Axes, list[Contribution]] = {}
    for arrival in arrivals:
        box = target_axes(arrival.place.slots, arrival.piece.axes)
        by_box.setdefault(box, []).append(Contribution(arrival.piece, arrival.place.slots, box))
    whole = [Cell(box, tuple(contributions)) for box, contributions in by_box.items()]
    points = [cell for cell in whole if all(len(axis) == 1 for axis in cell.box)]
    if len(points) == len(whole):
        return points
    if _are_disjoint(whole):
        return whole
    found: list[Cell] = []
    for cell in sorted(whole, key=lambda cell: all(len(axis) == 1 for axis in cell.box)):
        found = _overlay(found, cell)
    return found


def _are_disjoint(found: list[Cell]) -> bool:
    """Whether all come from one template, index by index: stored names are all different."""
    ways = {(c.piece.family.template, c.slots) for cell in found for c in cell.contributions}
    template, slots = ways.pop()
    bound = {slot for slot in slots if isinstance(slot, int)}
    return not ways and len(bound) == template.count(HOLE)


def _overlay(found: list[Cell], new: Cell) -> list[Cell]:
    out, left = [], [new.box]
    for cell in found:
        both = intersect(cell.box, new.box)
        if both is None:
            out.append(cell)
            continue
        out.append(Cell(both, cell.contributions + new.contributions))
        out += [Cell(rest, cell.contributions) for rest in subtract(cell.box, both)]
        left = [rest for part in left for rest in subtract(part, both)]
    return out + [Cell(part, new.contributions) for part in left]


def entries(cell: Cell) -> list[Entry]:
    """What arrives at the first parameter of the cell, in the order in which the library reads it."""
    first = tuple(axis[:1] for axis in cell.box)
    found = [Entry(natural_key(name), name, c) for c in cell.contributions for name in c.names(first)]
    return sorted(found, key=lambda entry: entry.key)


def first_entries(cell: Cell) -> list[Entry]:
    """Only the first tensor of each contribution, in reading order."""
    found = []
    for contribution in cell.contributions:
        axes = contribution.at(tuple(axis[:1] for axis in cell.box))
        name = write_out(contribution.piece.family.template, tuple(axis[0] for axis in axes))
        found.append(Entry(natural_key(name), name, contribution))
    return sorted(found, key=lambda entry: entry.key)


def multiplicity(contribution: Contribution) -> int:
    """How many stored tensors a contribution brings to each parameter."""
    number = 1
    for k in dropped_axes(contribution.slots, contribution.piece.axes):
        number *= len(contribution.piece.axes[k])
    return number


def first_of(contribution: Contribution) -> tuple[Contribution, list[Contribution]]:
    """(the first tensor that a contribution brings to each parameter, the others)."""
    piece, slots = contribution.piece, contribution.slots
    dropped = dropped_axes(slots, piece.axes)
    axes = tuple(axis[:1] if k in dropped else axis for k, axis in enumerate(piece.axes))
    parts = [axes, *subtract(piece.axes, axes)]
    first, *rest = (Contribution(replace(piece, axes=part), slots, contribution.box) for part in parts)
    return first, rest


def order_is_the_same_everywhere(cell: Cell) -> bool:
    """Whether `entries` of the first member holds, numbers aside, for every member of the cell."""
    contributions = cell.contributions
    return all(_same_everywhere(a, b) for i, a in enumerate(contributions) for b in contributions[i + 1 :]) or all(
        len(axis) == 1 for axis in cell.box
    )


def _same_everywhere(a: Contribution, b: Contribution) -> bool:
    left, right = _parts(a), _parts(b)
    for x, y in zip(left, right, strict=False):
        if isinstance(x, str) or isinstance(y, str):
            if x != y:
                return True
        elif x != y and (x >= 0 or y >= 0):
            return False
    return True


def _parts(contribution: Contribution) -> list[str | int]:
    """Dot parts of the stored name; a number is the target slot it is bound to, -1 when it is bound to none."""
    parts: list[str | int] = []
    holes = 0
    width = len(contribution.piece.family.axes)
    for part in contribution.piece.family.template.split("."):
        if part == HOLE and width:
            slot = contribution.slots.index(holes) if holes in contribution.slots else -1
            parts.append(slot)
            holes += 1
        else:
            parts.append(part)
    return parts
