"""LP904: a live parameter is a placeholder without values."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from loadproof.core.case import Case
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.live_faults import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    live = case.live
    others = live.placeholders if live else 0
    for fault in faults(case, RULE.code):
        found = finding(fault, f"{describe(fault.parameter)}: a placeholder without values")
        if others > 1:
            count = Evidence(where=NOWHERE, text=f"{others} parameters of this model have no elements", label="note")
            found = structs.replace(found, evidence=(*found.evidence, count))
        yield found


RULE = Rule(
    code="LP904",
    slug="placeholder-parameter",
    group="live",
    title="A parameter in use is a placeholder",
    check=check,
)
