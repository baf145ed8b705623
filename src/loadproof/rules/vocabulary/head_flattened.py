"""LP201 head-flattened: the output head is stored as one long row."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.flat_vocabulary import flat_finding
from loadproof.rules.evidence.vocabulary import embedding, head


def check(case: Case) -> Iterable[Found]:
    expected = head(case)
    if expected is None or (embedding(case) or expected).template == expected.template:
        return
    yield from flat_finding(case, expected, "a head that is not two-dimensional fails on the first token")


RULE = Rule(
    code="LP201",
    slug="head-flattened",
    group="vocabulary",
    title="The output head is stored as one long row",
    check=check,
)
