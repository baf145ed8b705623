"""LP901: the live head or input embedding does not have two dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.live_faults import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}, it must be [rows, columns]")


RULE = Rule(
    code="LP901",
    slug="head-not-2d",
    group="live",
    title="The output head or input embedding is not two-dimensional",
    check=check,
)
