"""Tensors of several files gathered into families; a name that is stored twice is kept once, from the later file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.families import count, fold_batch, names_of, union
from loadproof.formats.faults import Faults, cut
from loadproof.types import Axes, Duplicate, Family, Shape

Kind = tuple[str | None, Shape | None]  # dtype and shape; None when only the name is known


class Gathering:
    """Feed it the files in the order in which the reader opens them."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: dict[str, dict[Kind, list[tuple[Axes, str]]]] = {}

    def add(self, file: str, names: Sequence[str], kinds: Iterable[Kind]) -> None:
        """Take the tensors of one file."""
        for (template, kind), products in fold_batch(names, kinds).items():
            parts = self._parts.setdefault(template, {}).setdefault(kind, [])
            parts += [(axes, file) for axes in products]

    def families(self, faults: Faults) -> tuple[tuple[Family, ...], tuple[Duplicate, ...]]:
        """All tensors, each name once, and the names that were stored more than once (LP107)."""
        families: list[Family] = []
        duplicates: list[Duplicate] = []
        for template, kinds in self._parts.items():
            if _is_disjoint(kinds):
                families += _fold(template, kinds)
            else:
                kept, found = _resolve(template, kinds)
                families += _fold(template, kept)
                duplicates += found
        for duplicate in duplicates:
            text = f"{cut(duplicate.name)} is stored in {len(duplicate.files)} files; readers keep the last one, "
            faults.add(
                "LP107",
                duplicate.files[-1],
                "duplicate",
                text + duplicate.files[-1],
                tensor=duplicate.name,
                found=", ".join(duplicate.files),
            )
        return tuple(families), tuple(duplicates)


def _is_disjoint(kinds: dict[Kind, list[tuple[Axes, str]]]) -> bool:
    products = [axes for parts in kinds.values() for axes, _ in parts]
    return len(products) == 1 or sum(map(count, products)) == sum(map(count, union(products)))


def _fold(template: str, kinds: dict[Kind, list[tuple[Axes, str]]]) -> list[Family]:
    families = []
    for (dtype, shape), parts in kinds.items():
        united = union([axes for axes, _ in parts])
        for axes in united:
            files = {file for part, file in parts if len(united) == 1 or _meets(part, axes)}
            families.append(Family(template, axes, dtype, shape, tuple(sorted(files))))
    return families


def _meets(a: Axes, b: Axes) -> bool:
    return all(not set(x).isdisjoint(y) for x, y in zip(a, b, strict=True))


def _resolve(
    template: str, kinds: dict[Kind, list[tuple[Axes, str]]]
) -> tuple[dict[Kind, list[tuple[Axes, str]]], list[Duplicate]]:
    holders: dict[str, list[tuple[str, Kind]]] = {}
    for kind, parts in kinds.items():
        for axes, file in parts:
            for name in names_of(template, axes):
                holders.setdefault(name, []).append((file, kind))
    kept: dict[Kind, list[tuple[Axes, str]]] = {}
    winners: dict[tuple[str, Kind], list[str]] = {}
    duplicates: list[Duplicate] = []
    for name, found in holders.items():
        found.sort(key=lambda holder: holder[0])
        winners.setdefault(found[-1], []).append(name)
        if len(found) > 1:
            duplicates.append(Duplicate(name, tuple(file for file, _ in found)))
    for (file, kind), names in winners.items():
        for products in fold_batch(names, [None] * len(names)).values():
            kept.setdefault(kind, []).extend((axes, file) for axes in products)
    return kept, duplicates
