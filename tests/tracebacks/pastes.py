"""Error texts as people paste them (`pastes.txt`): forum posts, logs of launchers, other languages, damage of the way.

Each begins with a line ``=== name | slug slug ...``: the slugs that may be first; ``-`` stands for an error that no
checkpoint causes. They were written before anybody looked at what `explain` says to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

FILE = Path(__file__).with_suffix(".txt")
NOBODY = ("-",)


class Paste(Struct, frozen=True):
    """`accepted`: the slugs that may come first, empty for an error that no checkpoint causes."""

    name: str
    accepted: tuple[str, ...]
    text: str


def read_pastes() -> Iterator[Paste]:
    for piece in re.split(r"^=== ", FILE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, text = piece.partition("\n")
        name, _, slugs = head.partition(" | ")
        accepted = tuple(slugs.split())
        yield Paste(name, () if accepted == NOBODY else accepted, text.rstrip("\n"))
