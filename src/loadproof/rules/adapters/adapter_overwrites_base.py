"""LP809 adapter-overwrites-base: a stored matrix takes the place of a weight of the base."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import load_of
from loadproof.rules.evidence.wording import plural, shape_text


def check(case: Case) -> Iterable[Found]:
    """It bears the name of a parameter of the base and its size, so that it is loaded into the base itself."""
    families = load_of(case).overwritten
    if not families or case.outcome.raises:
        return
    number = sum(count(family.axes) for family in families)
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{plural(number, 'stored tensor')} replace weights of the base itself",
        evidence=tuple(
            Evidence(in_files(f.files), f"{show(f.template, f.axes)} {shape_text(f.shape)}") for f in families[:4]
        ),
        fixes=(Fix("list its module in modules_to_save if it was trained; else leave it out", "manual"),),
        notes=(Note("note", "with the adapter switched off or taken away, the base stays changed"),),
    )


RULE = Rule(
    code="LP809",
    slug="adapter-overwrites-base",
    group="adapters",
    title="The adapter replaces weights of its base",
    check=check,
)
