"""LP016 config-missing: there is no config.json."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.places import NOWHERE, about
from loadproof.lexicon.shards import SUFFIXES
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.class_fit import stored_families
from loadproof.rules.evidence.likeness import likeness_of


def check(case: Case) -> Iterable[Found]:
    """Weights without a config; the names alone tell what they probably are."""
    if case.config.path is not None or case.inventory.single_file is not None or _needs_none(case):
        return
    names = {file.path for file in case.inventory.files}
    if ADAPTER_CONFIG in names:
        return  # an adapter has no config.json of its own
    families = stored_families(case)
    guess = likeness_of(case)
    tail = f"; the names {guess}" if guess else ""
    evidence = [Evidence(about("folder"), "no config.json")]
    evidence += [Evidence(NOWHERE, show(family.template, family.axes), "note") for family in families[:2]]
    if any(re.match(r"(h|layers)\.\{\}\.", family.template) for family in families):
        evidence.append(Evidence(NOWHERE, "the names lack the base prefix (model.); transformers adds it", "note"))
    fix = Fix("copy config.json from the model these weights were made from", "manual")
    yield Found(
        severity="warning",
        confidence="certain",
        headline=f"there is no config.json{tail}",
        evidence=tuple(evidence),
        fixes=(fix,),
    )


def _needs_none(case: Case) -> bool:
    """Whether all weights there are GGUF files, which carry their config with them."""
    weights = [file.path for file in case.inventory.files if file.path.endswith(SUFFIXES)]
    return bool(weights) and all(name.endswith(".gguf") for name in weights)


RULE = Rule(
    code="LP016",
    slug="config-missing",
    group="config",
    title="There is no config.json",
    check=check,
    absorbs=("LP701",),
)
