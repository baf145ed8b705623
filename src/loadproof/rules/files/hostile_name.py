"""LP011 hostile-name: a tensor name contains deceptive characters."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import file_findings, save_again, text_findings


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "has tensor names with deceptive characters", save_again)
    yield from text_findings(case, RULE.code)


RULE = Rule(
    code="LP011",
    slug="hostile-name",
    group="files",
    title="A tensor name contains deceptive characters",
    check=check,
    beside_weights=True,
)
