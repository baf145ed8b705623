"""Where the releases differ in how they apply their rules. Each entry names the first release that has it."""

from __future__ import annotations

import re

from msgspec import Struct

Version = tuple[int, int]


class Semantics(Struct, frozen=True):
    """How one release applies its rules."""

    major: int
    replaces_everywhere: bool = False  # before 5.6 every occurrence of the matched text is replaced
    knows_own_names: bool = True  # since 5.3 a name in the model's own form loads without the rules
    forgives_position_ids: bool = True  # since 5.6
    numbers_groups: bool = False  # from 5.8 to 5.14 a target may hold \2 ... beside \1


def parse(version: str) -> Version:
    """(major, minor); text that is no version counts as the newest."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else (99, 0)


def semantics_of(version: str) -> Semantics:
    """The semantics of a release, from its version text."""
    release = parse(version)
    return Semantics(
        release[0],
        replaces_everywhere=release < (5, 6),
        knows_own_names=release >= (5, 3),
        forgives_position_ids=release >= (5, 6),
        numbers_groups=(5, 8) <= release < (5, 15),
    )


NEWEST = Semantics(5)
