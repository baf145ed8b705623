"""Sub-modules as the first parts of names: which are expected, which are stored, which of them the other side lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.lexicon import extras

MULTIMODAL = re.compile(extras.MULTIMODAL)


def beginnings(known: Iterable[str]) -> set[str]:
    """Every beginning, at a dot, of the known names."""
    found = set(known)
    waiting = found
    while waiting := {name.rpartition(".")[0] for name in waiting if "." in name} - found:
        found |= waiting
    return found


def root_of(template: str, shared: set[str]) -> tuple[str, ...]:
    """The shortest beginning of this name that is none of the `beginnings` of known names."""
    parts = tuple(template.split("."))
    begin = ""
    for length, part in enumerate(parts, 1):
        begin = f"{begin}.{part}" if length > 1 else part
        if begin not in shared:
            return parts[:length]
    return parts


def by_root(rows: Iterable[Row], known: Iterable[str], stored: bool = False) -> dict[tuple[str, ...], list[Row]]:
    """Rows grouped by the sub-module that `known` templates do not have; ``{}`` stays in the root where it divides."""
    shared = beginnings(known)
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        name = row.stored if stored and row.stored else row.template
        groups.setdefault(root_of(name, shared), []).append(row)
    return groups


def assigned(case: Case) -> list[str]:
    """The model's own templates that stored tensors (or ties) reach."""
    return [found.target for found in case.outcome.assignments] + [filled for filled, _ in case.outcome.tied]


def expected(case: Case) -> list[str]:
    return [family.template for family in case.expectation.families]


def size(rows: Iterable[Row]) -> int:
    return sum(count(row.axes) for row in rows)


def is_subtree(rows: list[Row]) -> bool:
    """A whole part of a model rather than a stray tensor: it is layered, or holds several tensors."""
    return size(rows) >= 4 and (len(rows) > 2 or any(row.axes for row in rows))


def module_of(root: tuple[str, ...]) -> str:
    return ".".join(root)


def drops_inside(groups: dict[tuple[str, ...], list[Row]]) -> bool:
    """Whether whole modules lack inside of layers that are there otherwise: no class is without them, a saver lost them."""
    inside = (root for root, rows in groups.items() if "{}" in root[:-1] and is_subtree(rows))
    return any(not MULTIMODAL.search(module_of(root)) for root in inside)
