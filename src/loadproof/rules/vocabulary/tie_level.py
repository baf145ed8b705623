"""LP206 tie-level: the levels of a nested config disagree about the tie."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import (
    TIE,
    assigned,
    embedding,
    head,
    is_tied,
    rows_of,
    tie_evidence,
    tie_levels,
)
from loadproof.rules.evidence.whatif_config import explained_by_config


def check(case: Case) -> Iterable[Found]:
    levels = tie_levels(case)
    rows = rows_of(case, head(case), "missing")
    if rows and not is_tied(case) and any(value for _, value in levels):
        yield from _lost(case, rows)
    elif not rows and len({value for _, value in levels}) > 1:
        yield _disagree(case)


def _lost(case: Case, rows: list[Row]) -> Iterable[Found]:
    """A level says tied, but not the one that counts for this reader: the head stays random."""
    edits = _flags(case, True)
    found = explained_by_config(case, edits)
    if found is None or found[1] or not found[0]:
        return
    headline = f"{rows[0].template} is not stored and the level of the config that counts does not tie it"
    fix = Fix(f"set {TIE} to true at every level of the config", "lossless", edits)
    evidence = tuple(tie_evidence(case))
    yield Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(found[0]), fixes=(fix,)
    )


def _disagree(case: Case) -> Found:
    output, source = head(case), embedding(case)
    stored = assigned(case, output) is not None and assigned(case, source) is not None
    headline = "the levels of the config disagree about the tie; this reader loads it, others may not"
    value = is_tied(case) if not stored else False
    fix = Fix(f"write {TIE} = {str(value).lower()} at every level, as the file has it", "lossless", _flags(case, value))
    return Found(
        severity="info", confidence="certain", headline=headline, evidence=tuple(tie_evidence(case)), fixes=(fix,)
    )


def _flags(case: Case, value: bool) -> tuple[SetJson, ...]:
    paths = [path for path, _ in tie_levels(case)]
    if (TIE,) not in paths:
        paths.insert(0, (TIE,))
    return tuple(SetJson(case.config.path or "config.json", path, value) for path in paths)


RULE = Rule(
    code="LP206",
    slug="tie-level",
    group="vocabulary",
    title="The levels of the config disagree about the tie",
    check=check,
)
