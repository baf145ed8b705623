"""LP114 dangling-link: a link leads to a file that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.known_names import WEIGHTS
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults, lost_with, place
from loadproof.rules.evidence.shards import listed
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """One finding for the links that the reader needs, one for those that only lie there."""
    found = faults(case, RULE.code)
    needed = [problem for problem in found if is_needed(case, problem)]
    if needed:
        yield _finding(case, needed, is_needed=True)
    if others := [problem for problem in found if problem not in needed]:
        yield _finding(case, others, is_needed=False)


def is_needed(case: Case, problem: Problem) -> bool:
    """Whether the reader opens this name, or would have if it led to a file."""
    selection = case.selection
    if problem.file == "config.json" or problem.file == selection.entry:
        return True
    if problem.file in selection.files:
        return not case.manifest.names_only  # there a shard need not be here
    return problem.file in WEIGHTS and selection.entry is None and not selection.files


def _finding(case: Case, problems: list[Problem], *, is_needed: bool) -> Found:
    files = [problem.file for problem in problems]
    if len(files) == 1:
        headline = f"{files[0]} {problems[0].text.removeprefix('the file ')}"
        evidence: tuple[Evidence, ...] = (Evidence(place(problems[0]), "the file it leads to is not there"),)
    else:
        headline = f"{len(files)} files are links to files that do not exist, the first is {files[0]}"
        evidence = evidence_of(problems)
    if not is_needed:
        headline += " (the reader does not open it)" if len(files) == 1 else " (the reader does not open them)"
        return Found(severity="info", confidence="certain", headline=headline, evidence=evidence)
    fix = Fix(f"bring back what {listed(files)} leads to, or download it again", "manual")
    reader = case.selection.error or case.reaction(problems[0]) if files != ["config.json"] else None
    notes = (Note("reader", reader),) if reader else ()
    rows = tuple(_lost(case, files))
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(fix,),
        notes=notes,
    )


def _lost(case: Case, files: list[str]) -> list[Row]:
    if not case.selection.files:
        return of_kind(case.outcome.rows, "missing")
    return lost_with(case, files)


RULE = Rule(
    code="LP114",
    slug="dangling-link",
    group="index",
    title="A link leads to a file that does not exist",
    check=check,
    needs_content=True,
    absorbs=("LP102",),
)
