"""LP701 reader-too-old: the reader does not know the model_type."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import get, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.likeness import likeness_of
from loadproof.rules.evidence.own_code import has_code, is_unknown


def check(case: Case) -> Iterable[Found]:
    """An unknown model_type without code of its own: a newer release may know it, or the word is wrong."""
    model_type = get(case.config, ("model_type",))
    if not is_unknown(case) or has_code(case) or case.config.path is None:
        return
    known = f"{case.expectation.reader} {case.expectation.version}".strip()
    headline = f"{known} does not know model_type {model_type!r}" if model_type else "config.json names no model_type"
    evidence = [
        Evidence(where(case.config, ("model_type",)), f'model_type = "{model_type}"' if model_type else "no model_type")
    ]
    guess = likeness_of(case)
    evidence += [Evidence(NOWHERE, f"the names {guess}", "note")] if guess else []
    upgrade = Fix("upgrade transformers, or name the model_type that the tensors fit", "manual")
    yield Found(severity="error", confidence="certain", headline=headline, evidence=tuple(evidence), fixes=(upgrade,))


RULE = Rule(
    code="LP701",
    slug="reader-too-old",
    group="reader",
    title="The reader does not know the model_type",
    check=check,
    never_loads=True,
)
