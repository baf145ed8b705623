"""LP110 unsafe-path: a name leads out of the folder, or to something that is no file."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults, file_findings, text_findings


def check(case: Case) -> Iterable[Found]:
    yield from _spellings(case)
    what = "names files that lie outside the folder, or no regular files"
    yield from file_findings(case, RULE.code, what, _way_out)
    yield from text_findings(case, RULE.code)


def _way_out(problems: list[Problem]) -> tuple[Fix, ...]:
    """What to do about the first of them, and of others of its kind."""
    first = problems[0]
    if first.detail == "link-outside":
        title = (
            "if you made the links yourself, check without --no-follow-links; a link to /proc or /sys is never right"
        )
    elif first.detail in _NO_FILE:
        title = f"put the weight file in the place of {first.file}, or download it again"
    else:
        title = f"rebuild {first.file} from the shards of the folder, or download it again from a source you trust"
    return (Fix(title, "manual"),)


_NO_FILE = frozenset({"folder", "fifo", "device", "socket", "link-loop"})


def _spellings(case: Case) -> Iterable[Found]:
    """Names that a file system reads as others: nothing is wrong with the files."""
    found = [problem for problem in faults(case, RULE.code) if problem.detail == "spelling"]
    for file in dict.fromkeys(problem.file for problem in found):
        evidence = evidence_of([problem for problem in found if problem.file == file])
        headline = f"{file} spells file names in a way that a reader which compares them as text does not find (vLLM)"
        yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence)


RULE = Rule(
    code="LP110",
    slug="unsafe-path",
    group="index",
    title="A name leads out of the folder, or to something that is not a file",
    check=check,
    beside_weights=True,
    absorbs=("LP102",),
)
