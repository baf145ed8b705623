"""LP202 embedding-flattened: the input embedding is stored as one long row."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.flat_vocabulary import flat_finding
from loadproof.rules.evidence.vocabulary import embedding


def check(case: Case) -> Iterable[Found]:
    yield from flat_finding(
        case,
        embedding(case),
        "looked up as it is, it raises `'weight' must be 2-D`",
    )


RULE = Rule(
    code="LP202",
    slug="embedding-flattened",
    group="vocabulary",
    title="The input embedding is stored as one long row",
    check=check,
)
