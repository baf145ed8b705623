"""LP211 head-transposed: head or embedding are stored with rows and columns swapped."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.swapped_matrices import is_swapped, swapped_finding
from loadproof.rules.evidence.vocabulary import embedding, head, rows_of


def check(case: Case) -> Iterable[Found]:
    both = [*rows_of(case, head(case), "mismatched"), *rows_of(case, embedding(case), "mismatched")]
    rows = [row for row in dict.fromkeys(both) if is_swapped(row)]
    others = [row for row in case.outcome.rows if is_swapped(row) and row not in rows]
    if rows and not others:
        yield swapped_finding(rows)


RULE = Rule(
    code="LP211",
    slug="head-transposed",
    group="vocabulary",
    title="The head or embedding is stored transposed",
    check=check,
)
