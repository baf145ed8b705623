"""A fault of a live parameter as a finding, in the words of the report."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.live import LiveModel, LiveParameter
from loadproof.core.places import NOWHERE, Place
from loadproof.rules.base import Found
from loadproof.rules.evidence.live_parameters import Fault, judge

ROLE = {"input-embedding": "input embedding", "output-head": "output head", "other": "parameter"}


def faults(case: Case, code: str) -> Iterator[Fault]:
    """The faults with this code among the live parameters of the case; a tied pair is one Parameter, told once."""
    for fault in live_faults(case.live) if case.live else ():
        if fault.code == code:
            yield fault


def live_faults(live: LiveModel) -> list[Fault]:
    """Every fault of head and embedding, the embedding first (it is the one that raises)."""
    found = [fault for fault in map(judge, live.parameters) if fault is not None]
    return found[:1] if live.tied else found


def finding(fault: Fault, headline: str) -> Found:
    """One finding: expected, found, likely cause and what to do."""
    p = fault.parameter
    expected = list(p.expected) if p.expected else "unknown"
    evidence = (
        Evidence(
            where=Place(tensor=p.name), text=f"{ROLE[p.role]}: expected {expected}, found {list(p.shape)} {p.dtype}"
        ),
        Evidence(where=NOWHERE, text=fault.cause, label="cause"),
        *((Evidence(where=NOWHERE, text=p.detail, label="placement"),) if p.detail else ()),
    )
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        fixes=(Fix(title=fault.action, safety="lossless" if fault.viewable else "manual"),),
    )


def describe(parameter: LiveParameter) -> str:
    """`lm_head.weight (output head) is [128]`."""
    return f"{parameter.name} ({ROLE[parameter.role]}) is {list(parameter.shape)}"
