"""A vocabulary matrix stored as one long row: what LP201 and LP202 share."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.expectation import Expected
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found
from loadproof.rules.evidence.flat_matrices import is_flat, reshape_fix
from loadproof.rules.evidence.vocabulary import rows_of
from loadproof.rules.evidence.wording import elements, row_evidence, shape_text


def flat_finding(case: Case, expected: Expected | None, what: str) -> Iterable[Found]:
    """The finding for one vocabulary matrix."""
    rows = [row for row in rows_of(case, expected, "mismatched") if is_flat(row)]
    if not rows:
        return
    row = rows[0]
    headline = (
        f"{row.stored or row.template} is stored flat: {shape_text(row.found)} in place of {shape_text(row.expected)}"
    )
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=(*row_evidence(rows), Evidence(NOWHERE, _proof(row), "note")),
        rows=tuple(rows),
        fixes=reshape_fix(rows),
        notes=(Note("note", what),),
    )


def _proof(row: Row) -> str:
    sizes = " x ".join(map(str, row.expected or ()))
    return f"{elements(row.found):,} = {sizes} exactly, so the matrix is whole and only its shape is lost"
