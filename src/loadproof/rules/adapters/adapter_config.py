"""LP807 adapter-config: adapter_config.json says something else than the stored tensors, which prove what is right."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapter_config import ProvenConfig, proven_config
from loadproof.rules.evidence.adapters import edits_for, effect, stored_sizes
from loadproof.rules.evidence.wording import elements, json_text


def check(case: Case) -> Iterable[Found]:
    """Under a few other fields the load is whole, and nothing that was asked for is given up."""
    if any(not elements(shape) for shape in stored_sizes(case).values()):
        return  # placeholders prove nothing
    proven = proven_config(case)
    if proven is None:
        return
    fields = ", ".join(proven.fields)
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{ADAPTER_CONFIG} does not say what is stored: {fields}",
        evidence=tuple(_evidence(case, proven)),
        rows=case.outcome.rows,
        fixes=(_fix(proven),),
        notes=(*effect(case), *_scale(proven)),
    )


def _evidence(case: Case, proven: ProvenConfig) -> Iterable[Evidence]:
    for field, value in list(proven.fields.items())[:4]:
        stands = json_text(case.config.raw[field]) if field in case.config.raw else "not stated"
        place = where(case.config, (field,)) if field in case.config.raw else Place(ADAPTER_CONFIG)
        yield Evidence(place, f"{field} = {stands}; the tensors want {json_text(value)}")


def _fix(proven: ProvenConfig) -> Fix:
    shown = ", ".join(f"{field} = {json_text(value)}" for field, value in proven.fields.items())
    title, edits = f"set {shown} in {ADAPTER_CONFIG}", edits_for(proven.fields)
    return Fix(title, "lossy", edits, proven.loss) if proven.loss else Fix(title, "lossless", edits)


def _scale(proven: ProvenConfig) -> tuple[Note, ...]:
    text = f"{proven.loss}; no tensor shows lora_alpha: right only if it is that of the training"
    return (Note("note", text),) if proven.loss else ()


RULE = Rule(
    code="LP807",
    slug="adapter-config",
    group="adapters",
    title="adapter_config.json does not say what is stored",
    check=check,
    absorbs=("LP803", "LP805", "LP806", "LP808", "LP809", "LP811"),
)
