"""LP812 adapter-beside-model: an adapter lies in the folder of a model, and is loaded with it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.known_names import ADAPTER, ADAPTER_CONFIG
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule


def check(case: Case) -> Iterable[Found]:
    """Where PEFT is installed, transformers puts it on the model (integrations/peft.py, `maybe_load_adapters` of 5.24)."""
    names = {file.path for file in case.inventory.files}
    if case.config.path is None or case.selection.entry is None or ADAPTER_CONFIG not in names:
        return
    yield Found(
        severity="info",
        confidence="certain",
        headline="the folder holds an adapter as well: where PEFT is installed, transformers puts it on this model",
        evidence=tuple(Evidence(Place(name), "part of the adapter") for name in ADAPTER if name in names),
        fixes=(Fix("move the adapter into a folder of its own if the model is meant without it", "manual"),),
    )


RULE = Rule(
    code="LP812",
    slug="adapter-beside-model",
    group="adapters",
    title="An adapter lies beside the model and is loaded with it",
    check=check,
    beside_weights=True,
)
