"""A list of problems that stays short: of one kind in one file only the first few are kept, the rest is counted."""

from __future__ import annotations

from typing import Any

import msgspec

from loadproof.core.checkpoint import Problem

KEPT = 3  # problems of one kind in one file
_LONGEST_NAME = 200  # characters of a name from a file that a message repeats


class Faults:
    """Problems in the order in which they were found."""

    __slots__ = ("_counts", "_kept")

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._counts: dict[tuple[str, str, str], int] = {}

    def add(self, code: str, file: str, detail: str, text: str, **fields: Any) -> None:
        """Record one problem; `fields` are those of `Problem`."""
        kind = (code, file, detail)
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= KEPT:
            if name := fields.get("tensor"):
                fields["tensor"] = cut(name)
            self._kept.append(Problem(code=code, file=file, text=text, detail=detail, **fields))

    def extend(self, problems: tuple[Problem, ...]) -> None:
        """Take over problems that another list has counted already."""
        self._kept += problems

    def result(self) -> tuple[Problem, ...]:
        """The problems; the last one kept of a kind says how many more there are."""
        last = {(p.code, p.file, p.detail): i for i, p in enumerate(self._kept)}
        out = list(self._kept)
        for kind, at in last.items():
            if (more := self._counts.get(kind, 0) - KEPT) > 0:
                out[at] = msgspec.structs.replace(out[at], text=f"{out[at].text} (and {more} more like it)")
        return tuple(out)


def cut(name: str) -> str:
    """A name from a file, short enough to repeat."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}... ({len(name):,} characters)"
