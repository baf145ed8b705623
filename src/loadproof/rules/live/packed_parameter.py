"""LP906: a live parameter holds packed quantized values and is used as a dense one."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.live_faults import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: packed values without their quantization state")


RULE = Rule(
    code="LP906",
    slug="packed-parameter",
    group="live",
    title="A packed quantized parameter is used as a dense one",
    check=check,
)
