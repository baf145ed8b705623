"""LP701 reader-too-old: the reader does not know the model_type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.config import get, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.likeness import likeness_of


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


def is_unknown(case: Case) -> bool:
    """The expectation says that no class goes with this model_type."""
    said = f"{case.expectation.raises or ''} {case.expectation.inconclusive or ''}"
    return re.search(r"model_type|model type|[Uu]nrecognized|does not recognize", said) is not None


def needs_code(case: Case) -> bool:
    """Only the repository's own code knows what these names mean, and it could not be read to the end."""
    read = bool(case.expectation.families)
    return has_code(case) and not read and (is_unknown(case) or case.expectation.source != "installed")


def has_code(case: Case) -> bool:
    return bool(get(case.config, ("auto_map",)))


RULE = Rule(
    code="LP701",
    slug="reader-too-old",
    group="reader",
    title="The reader does not know the model_type",
    check=check,
    never_loads=True,
)
