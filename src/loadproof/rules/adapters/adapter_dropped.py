"""LP808 adapter-dropped: stored tensors reach nothing, and the library says no word of it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Note
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import effect
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import count_rows, of_kind


def check(case: Case) -> Iterable[Found]:
    """Parts of the training that the configuration does not ask for on this base."""
    rows = of_kind(case.outcome.rows, "unexpected")
    if not rows or of_kind(case.outcome.rows, "missing"):
        return
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{plural(count_rows(rows), 'stored tensor')} are dropped without a word",
        evidence=row_evidence(rows),
        rows=tuple(rows),
        fixes=(
            Fix(
                "name their modules in target_modules if the base has them, or load it on the base of the training",
                "manual",
            ),
        ),
        notes=(*effect(case), Note("note", "PEFT warns of what is missing only, never of what is left over")),
    )


RULE = Rule(
    code="LP808",
    slug="adapter-dropped",
    group="adapters",
    title="Stored tensors of the adapter are dropped",
    check=check,
)
