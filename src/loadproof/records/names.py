"""The names that a repair puts beside a checkpoint."""

from __future__ import annotations

import re

PREFIX = ".loadproof-"  # of every file that a repair puts beside the checkpoint
JOURNAL = PREFIX + "journal"  # a change under way
UNDO = PREFIX + "undo-"  # a repair that was carried out; its number follows
SWEEP = PREFIX + "sweep"  # a record that is over: only what it left behind has still to go
RESUME = PREFIX + "resume"  # files that are being written under helper names
COPY = (
    PREFIX + "copy"
)  # the same of a copy that grows: it names every file of it, so nothing else may take it for its own
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")  # one spelling for each number, and none that fills a screen


def undo_name(number: int) -> str:
    """The name of the undo record of this number."""
    return f"{UNDO}{number}"


def number_of(name: str) -> int | None:
    """The number of an undo record, None for every other name: ``.loadproof-undo-007`` is not one of ours."""
    tail = name.removeprefix(UNDO)
    return int(tail) if name.startswith(UNDO) and _NUMBER.fullmatch(tail) else None
