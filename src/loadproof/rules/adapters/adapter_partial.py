"""LP805 adapter-partial: parameters of the adapter stay as they were made."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import effect, load_of
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import count_rows, of_kind


def check(case: Case) -> Iterable[Found]:
    """They are not stored; PEFT warns and goes on."""
    rows = of_kind(case.outcome.rows, "missing")
    if not rows:
        return
    number = count_rows(rows)
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{number:,} of {plural(load_of(case).made, 'parameter')} of the adapter stay as they were made",
        evidence=row_evidence(rows),
        rows=case.outcome.rows,
        fixes=(Fix("save the adapter again from the training; what is not stored cannot be repaired here", "manual"),),
        notes=effect(case),
    )


RULE = Rule(
    code="LP805",
    slug="adapter-partial",
    group="adapters",
    title="Parts of the adapter are not stored",
    check=check,
)
