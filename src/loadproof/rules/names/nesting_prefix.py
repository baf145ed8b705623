"""LP402 nesting-prefix: the names are nested for another class or release."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.prefixes import healed_finding, prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)
    yield from healed_finding(case, RULE.slug)


RULE = Rule(
    code="LP402",
    slug="nesting-prefix",
    group="names",
    title="The names are nested for another class or release",
    check=check,
)
