"""LP401 wrapper-prefix: a wrapping module left its name in the tensor names."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.prefixes import prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)


RULE = Rule(
    code="LP401",
    slug="wrapper-prefix",
    group="names",
    title="A wrapping module left its name in the tensor names",
    check=check,
)
