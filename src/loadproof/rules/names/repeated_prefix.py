"""LP403 repeated-prefix: a part of the names is repeated."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.prefixes import healed_finding, prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)
    yield from healed_finding(case, RULE.slug)


RULE = Rule(
    code="LP403",
    slug="repeated-prefix",
    group="names",
    title="A part of the names is repeated",
    check=check,
)
