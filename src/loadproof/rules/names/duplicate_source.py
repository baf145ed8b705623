"""LP411 duplicate-source: two stored names fill one parameter."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files, tensors_at
from loadproof.rules.base import Found, Rule


def check(case: Case) -> Iterable[Found]:
    """The reader keeps one of two names that mean the same parameter and drops the other unseen."""
    dropped = case.outcome.dropped
    if not dropped:
        return
    lost = sum(count(row.axes) for row in dropped)
    kept = {found.target: found for found in case.outcome.assignments}
    first = dropped[0]
    winner = kept.get(first.template)
    headline = f"{lost:,} stored {'name loses' if lost == 1 else 'names lose'} to another name for the same parameter"
    evidence = [Evidence(in_files(row.files[:2], 2), f"{stored_name(row)} is dropped") for row in dropped[:3]]
    if winner is not None:
        evidence.append(
            Evidence(
                tensors_at(winner.target, winner.target_axes),
                f"is filled from {show(winner.stored, winner.stored_axes)}",
            )
        )
    edits = tuple(DropTensors(row.stored or row.template, row.stored_axes or row.axes) for row in dropped)
    fix = Fix("leave out the names that lose (the loaded model stays the same)", "lossless", edits)
    notes = (Note("note", "the first in natural order wins; another engine may take the other"),)
    yield Found(
        severity="warning", confidence="certain", headline=headline, evidence=tuple(evidence), fixes=(fix,), notes=notes
    )


def stored_name(row: Row) -> str:
    return show(row.stored or row.template, row.stored_axes or row.axes)


RULE = Rule(
    code="LP411",
    slug="duplicate-source",
    group="names",
    title="Two stored names fill one parameter",
    check=check,
)
