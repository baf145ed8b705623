"""LP405 backbone-only: the bare backbone was saved, without the class around it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Assignment
from loadproof.core.places import about, tensors_at
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.prefixes import prefix_findings


def check(case: Case) -> Iterable[Found]:
    """Healed names are an info; a head that is missing with them is why the checkpoint does not work."""
    yield from prefix_findings(case, RULE.slug)
    healed = _healed(case)
    if not healed:
        return
    prefix = case.expectation.base_model_prefix
    heads = [row for row in case.outcome.rows if row.kind == "missing" and not row.template.startswith(prefix + ".")]
    stored = sum(count(found.stored_axes) for found in healed)
    evidence = [
        Evidence(tensors_at(found.stored, found.stored_axes), f"loads as {show(found.target, found.target_axes)}")
        for found in healed[:2]
    ]
    if heads and len(heads) == len(case.outcome.rows):
        evidence += [
            Evidence(about(case.expectation.class_name), f"{show(row.template, row.axes)} is not stored")
            for row in heads[:2]
        ]
        headline = f"saved from the bare backbone: no '{prefix}.' in {stored:,} names, and no {heads[0].template}"
        fix = Fix(f"save from {case.expectation.class_name} itself, or take the head from the base model", "manual")
        yield Found(
            severity="error",
            confidence="likely",
            headline=headline,
            evidence=tuple(evidence),
            rows=tuple(heads),
            fixes=(fix,),
        )
        return
    headline = f"{stored:,} names lack '{prefix}.'; transformers adds it, other engines refuse"
    rename = Fix(
        f"add '{prefix}.' in the headers",
        "lossless",
        (RenameTensors(tuple((f.stored, f.target, f.stored_axes) for f in healed)),),
    )
    yield Found(severity="info", confidence="certain", headline=headline, evidence=tuple(evidence), fixes=(rename,))


def _healed(case: Case) -> list[Assignment]:
    """Assignments for which the reader added the base prefix, when that is all it ever did to a name."""
    prefix = case.expectation.base_model_prefix
    if not prefix:
        return []
    plain = [found for found in case.outcome.assignments if not found.converted]
    added = [found for found in plain if found.target == f"{prefix}.{found.stored}"]
    inside = [found for found in plain if found.target.startswith(prefix + ".")]
    return added if len(added) == len(inside) else []


RULE = Rule(
    code="LP405",
    slug="backbone-only",
    group="names",
    title="The bare backbone was saved, without the class around it",
    check=check,
)
