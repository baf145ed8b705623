"""LP905: a live parameter is one rank's piece of a larger one."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.live_faults import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: one rank's piece, not the whole weight")


RULE = Rule(
    code="LP905",
    slug="local-shard",
    group="live",
    title="A parameter in use is the local shard of one rank",
    check=check,
)
