"""LP902: the live head or input embedding has two dimensions of the wrong sizes."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.live_faults import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: {fault.cause}")


RULE = Rule(
    code="LP902",
    slug="head-rows",
    group="live",
    title="The output head or input embedding has the wrong rows or columns",
    check=check,
)
