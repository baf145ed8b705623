"""What `fix` and `undo` say beside their report: about records that do not count, and about a repair that was done."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loadproof.cli.asked import answer_error
from loadproof.cli.output import failed
from loadproof.cli.streams import hint, write
from loadproof.report.escape import clean, guard_line

if TYPE_CHECKING:
    from loadproof.repair import Applied, RepairError

LONGEST = 4_000  # characters of a line: paths stand in it, and a command to type


def add_adopting(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--adopt-records",
        action="store_true",
        help="take over undo records and journals of others (shared file system, lost key); shows what they would do",
    )


def refused(error: RepairError, copying: str = "") -> int:
    """Why nothing was done; for records of others also what they would do. Exit status 1.

    `copying`: the command that works in spite of undo records of others, where there is one.
    """
    records = getattr(error, "records", ())
    if not records:
        return failed(str(error), 1)
    from loadproof.records.names import JOURNAL
    from loadproof.repair.foreign import words_of

    for refusal in error.refusals:
        say([refusal.reason, f"  {refusal.alternative}"])
    say(words_of(records))
    if copying and all(record.name != JOURNAL for record in records):
        say([f"a repaired copy needs none of this: {copying}"])
    answer_error(1, str(error))
    return 1


def say(lines: Iterable[str]) -> None:
    """Hints, one a line."""
    for line in lines:
        hint(guard_line(f"loadproof: {clean(line, LONGEST)}"))


def show_adopted(path: str) -> None:
    """Before records are taken over: what they would do."""
    from loadproof.api.fixing import folder_at
    from loadproof.repair.foreign import foreign_records, words_of

    say(words_of(foreign_records(folder_at(path))))


def write_done(text: str, applied: Applied | None, done: str) -> None:
    """`text` to stdout. What was carried out is said even when nobody can read that. Raises OSError all the same."""
    say(applied.ignored if applied else ())
    try:
        write(text)
    except OSError:
        if applied is not None:
            say([f"{done}; only the report could not be written"])
        raise
