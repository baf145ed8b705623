"""LP006 header-invalid: the header of a weight file cannot be read, or only by lenient readers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix, RegenerateHeader
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import file_findings, save_again

JOURNAL = ".loadproof-journal"  # a repair under way, or one that was cut off: it closes the headers it changes


def _bring_to_an_end(_: list[Problem]) -> tuple[Fix, ...]:
    return (Fix("a repair was cut off here: `loadproof undo PATH` brings the checkpoint back", "manual"),)


def _fix(case: Case, problems: list[Problem]) -> tuple[Fix, ...]:
    """A header that the official reader accepts can be written anew for the same bytes."""
    if any(map(case.reaction, problems)):
        return save_again(problems)
    files = sorted({problem.file for problem in problems})
    edits = tuple(RegenerateHeader(file) for file in files)
    return (Fix("write a clean header for the same tensors", "lossless", edits),)


def check(case: Case) -> Iterable[Found]:
    cut_off = any(info.path == JOURNAL for info in case.inventory.files)
    fix = _bring_to_an_end if cut_off else partial(_fix, case)
    yield from file_findings(case, RULE.code, "has a header that is not valid", fix)


RULE = Rule(
    code="LP006",
    slug="header-invalid",
    group="files",
    title="The header of a weight file cannot be read, or only by lenient readers",
    check=check,
    cured_by=(RegenerateHeader,),
)
