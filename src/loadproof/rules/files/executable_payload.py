"""LP012 executable-payload: a file carries code."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import file_findings, save_again, text_findings
from loadproof.rules.evidence.own_code import needs_code


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "carries code", save_again)
    for finding in text_findings(case, RULE.code):
        if not (needs_code(case) and "auto_map" in finding.headline):  # LP705 says it
            yield finding


RULE = Rule(
    code="LP012",
    slug="executable-payload",
    group="files",
    title="A file carries code",
    check=check,
    beside_weights=True,
)
