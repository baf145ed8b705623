"""LP011 hostile-name: a tensor name is made to deceive."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.faults import file_findings, text_findings, write_again


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "has tensor names made to deceive", write_again)
    yield from text_findings(case, RULE.code)


RULE = Rule(
    code="LP011",
    slug="hostile-name",
    group="files",
    title="A tensor name is made to deceive",
    check=check,
    beside_weights=True,
)
