"""From renamed names to parameters: base prefix, fall-back to the original name, membership.

Source: core_model_loading.py:1709 and 1890 of release 5.24.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.core.boxes import FEW, Nearby
from loadproof.core.expectation import Expected
from loadproof.readers.transformers.digits import ALL, partition
from loadproof.readers.transformers.pieces import (
    MARKS,
    Piece,
    Place,
    form_of,
    outside,
    place,
    spelled,
    target_axes,
    used_axes,
    within,
)


class Arrival(Struct, frozen=True):
    """A piece at its destination: the parameter family that takes it, or None when the model has no such name."""

    piece: Piece
    place: Place
    expected: Expected | None


class Names:
    """The names that the model has, by template."""

    def __init__(self, families: Iterable[Expected]) -> None:
        self.by_template: dict[str, list[Expected]] = {}
        for family in families:
            self.by_template.setdefault(family.template, []).append(family)
        self._nearby: dict[tuple[str, int], tuple[Nearby, list[Expected]]] = {}

    def near(self, target: Place, piece: Piece) -> Iterable[Expected]:
        """The families of this template that may hold a member of the piece."""
        families = self.by_template.get(target.template, ())
        width = len(target.slots)
        if len(families) <= FEW:
            return [family for family in families if len(family.axes) == width]
        if (target.template, width) not in self._nearby:
            held = [family for family in families if len(family.axes) == width]
            self._nearby[target.template, width] = Nearby(family.axes for family in held), held
        nearby, held = self._nearby[target.template, width]
        return [held[number] for number in nearby.near(target_axes(target.slots, piece.axes))]

    def split(self, piece: Piece, form: str) -> tuple[list[Arrival], list[Piece]]:
        """(the members whose name `form` the model has, the members whose name it has not)."""
        target, left, found = place(form), [piece], []
        for family in self.near(target, piece):
            rest: list[Piece] = []
            for part in left:
                inner = within(part.axes, target.slots, family.axes)
                if inner is not None:
                    found.append(Arrival(Piece(part.family, inner, form, part.pattern), target, family))
                rest += [Piece(p.family, axes, p.form, p.pattern) for p in [part] for axes in outside(p.axes, inner)]
            left = rest
        return found, left


def settle(piece: Piece, names: Names, prefix: str, own_names: bool = True) -> Iterator[Arrival]:
    """Where the members of a piece arrive; members may part company."""
    found, left = _with_prefix(piece, piece.form, names, prefix)
    yield from found
    for rest in left:
        yield from _original(rest, names, prefix, own_names)


def _original(piece: Piece, names: Names, prefix: str, own_names: bool) -> Iterator[Arrival]:
    """A name in the form of the model itself always loads: rules are dropped, only the prefix is tried."""
    form = form_of(piece.family)
    if piece.form == form or not own_names:
        known, left = list[Arrival](), [piece]
    else:
        known, left = names.split(piece, form)
    for arrival in known:
        plain = Piece(arrival.piece.family, arrival.piece.axes, form)
        yield from _with_prefix(plain, form, names, prefix)[0]
    for rest in left:
        yield Arrival(rest, place(rest.form), None)


def _with_prefix(piece: Piece, form: str, names: Names, prefix: str) -> tuple[list[Arrival], list[Piece]]:
    """Strip the base prefix if the rest is a name of the model, else add it if that is one, else leave the name."""
    found: list[Arrival] = []
    left = [piece]
    for candidate in _candidates(form, prefix):
        rest: list[Piece] = []
        for part in left:
            inside, out = _split(part, form, candidate, names, prefix)
            found += inside
            rest += out
        left = rest
    return found, left


def _candidates(form: str, prefix: str) -> list[str]:
    if form == prefix:  # nothing to strip: the library looks up the name as it is before it tries to add
        return [form, f"{prefix}.{form}"]
    stripped = [form[len(prefix) + 1 :]] if form.startswith(prefix) else []
    return [*stripped, f"{prefix}.{form}", form]


def _split(piece: Piece, form: str, candidate: str, names: Names, prefix: str) -> tuple[list[Arrival], list[Piece]]:
    cuts_index = candidate == form[len(prefix) + 1 :] and form[len(prefix) : len(prefix) + 1] in MARKS
    if not cuts_index:
        return names.split(piece, candidate)
    found, left = [], []  # only without a base prefix: the stripped character is the first digit of an index
    for axes in partition(piece.axes, ALL, used_axes(form)):
        single = Piece(piece.family, axes, piece.form, piece.pattern)
        inside, out = names.split(single, spelled(form, axes)[len(prefix) + 1 :])
        found += inside
        left += out
    return found, left
