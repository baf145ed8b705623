"""LP205 tie-redundant: a tied head is stored as well, with the same values."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import TieValue
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.families import split_name
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import tie_evidence


def check(case: Case) -> Iterable[Found]:
    for pair in case.tie_values:
        if pair.equal is True:
            headline = f"{pair.target} is stored although it is tied to {pair.source}; the values are equal"
            evidence = (Evidence(Place(pair.target_file), f"{pair.target}: {pair.text}"), *tie_evidence(case))
            yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=_drop(pair))


def _drop(pair: TieValue) -> tuple[Fix, ...]:
    if not pair.complete:
        return (Fix(f"drop {pair.target} after comparing every byte; only samples were compared here", "manual"),)
    template, indices = split_name(pair.target)
    edit = DropTensors(template, tuple((index,) for index in indices))
    return (Fix(f"drop {pair.target}; the reader ties it again", "lossless", (edit,)),)


RULE = Rule(
    code="LP205",
    slug="tie-redundant",
    group="vocabulary",
    title="A tied head is stored twice with equal values",
    check=check,
)
