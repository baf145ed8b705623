"""Layers whose mixer the class builds otherwise than the file holds it: what LP301 and LP305 share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.config.plan.reading import diff_plans
from loadproof.config.plan.words import spoken
from loadproof.core.case import Case
from loadproof.core.config import LayerPlan, dotted
from loadproof.core.edits import Edit, Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import source_line
from loadproof.core.severity import Confidence
from loadproof.rules.base import Found
from loadproof.rules.evidence.plans import (
    attention_words,
    built_plan,
    default_plan,
    field_evidence,
    layer_evidence,
    rows_in_layers,
    strips,
    write_plan,
)
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import json_text, layers_text, plural
from loadproof.rules.rows import count_rows

Plans = tuple[LayerPlan, LayerPlan, LayerPlan, tuple[int, ...]]


def differing_layers(case: Case) -> Plans | None:
    """(plan of the config, plan that is built, plan that is stored, layers where file and class differ).

    Where the class refuses to be built, its plan is taken to be that of the config.
    """
    stored, built = case.tensor_plan, built_plan(case)
    config = case.config_plan or (default_plan(case, built) if built is not None else None)
    if built is None and case.expectation.raises is not None:
        built = config
    if config is None or stored is None or built is None:
        return None
    layers = diff_plans(built, stored).layers
    return (config, built, stored, layers) if layers else None


def plan_findings(case: Case, plans: Plans) -> Iterable[Found]:
    """The finding for layers of another kind, none when the reader reports nothing there."""
    config, built, stored, layers = plans
    rows = rows_in_layers(case, layers, built.field)
    refused = case.expectation.raises is not None
    if not rows and not refused:
        return
    edits, claimed = _proven(case, plans, rows)
    if refused and not edits:
        return  # another reason may be behind the exception
    evidence = (
        *field_evidence(case, config, layers),
        *layer_evidence(case, layers, stored.field),
        *strips(config if diff_plans(config, stored).layers else built, stored),
        *_source(case, layers, built.field),
    )
    missing = count_rows(claimed, "missing")
    notes = (outcome_note(case, missing, layers),) if missing and not case.outcome.raises else ()
    confidence: Confidence = "certain" if edits else "likely"
    fixes = (_fix(case, config, edits, layers),)
    headline = _headline(config, stored, layers)
    yield Found(
        severity="error",
        confidence=confidence,
        headline=headline,
        evidence=evidence,
        rows=tuple(claimed),
        fixes=fixes,
        notes=notes,
    )


def _headline(config: LayerPlan, stored: LayerPlan, layers: Sequence[int]) -> str:
    says = sorted({spoken(config.words[layer]) for layer in layers if layer < len(config.words)})
    holds = sorted({spoken(stored.words[layer]) for layer in layers})
    who = "config.json says" if config.given else "the default of the class is"
    if len(says) > 1 or len(holds) > 1:
        plan = "the layer plan of config.json" if config.given else "the default layer plan of the class"
        return f"{plan} is not that of the checkpoint: {layers_text(layers)} differ"
    return f"{who} {' or '.join(says)} where the checkpoint holds {' or '.join(holds)}"


def _proven(case: Case, plans: Plans, rows: list[Row]) -> tuple[tuple[Edit, ...], list[Row]]:
    """Edits under which the rows of these layers vanish (or the exception) and none appears; else no edits."""
    config, _, stored, layers = plans
    words = list(config.words)
    for layer in layers:
        words[layer] = stored.words[layer]
    edits = write_plan(case, config, words)
    found = explained_by_config(case, edits) if edits else None
    if found is None or found[1] or (rows and not found[0]):
        return (), rows
    return edits, found[0]


def _fix(case: Case, config: LayerPlan, edits: tuple[Edit, ...], layers: Sequence[int]) -> Fix:
    sliding = "sliding_attention" in attention_words(case, config) and len(attention_words(case, config)) > 1
    if not edits:
        text = f"state the stored kind for {layers_text(layers)} in the config; the class has no other field for it"
        return Fix(text, "manual")
    if sliding and any(_writes_attention(edit) for edit in edits):
        text = "write the attention of the original model: sliding and full attention store the same tensors"
        return Fix(text, "manual")
    return Fix(f"{describe(edits)}", "lossless", edits)


def _writes_attention(edit: Edit) -> bool:
    value = getattr(edit, "value", None)
    return isinstance(value, str) and value.endswith("attention") and value != "linear_attention"


def describe(edits: tuple[Edit, ...]) -> str:
    sets = [edit for edit in edits if isinstance(edit, SetJson)]
    first = f"set {dotted(sets[0].path)} to {json_text(sets[0].value)}"
    return (
        first if len(sets) == 1 else f"{first}, and {plural(len(sets) - 1, 'more entry').replace('entrys', 'entries')}"
    )


def _source(case: Case, layers: Sequence[int], container: str) -> tuple[Evidence, ...]:
    """The line of the model's source that created the mixer the file does not hold."""
    wanted = set(layers)
    for expected in case.expectation.families:
        head, _, rest = expected.template.partition(".{}.")
        if head != container or "norm" in rest or rest.startswith(("mlp.", "feed_forward.")):
            continue
        if expected.source.startswith("modeling_") and wanted & set(expected.axes[0]):
            return (Evidence(source_line(expected.source), "the mixer of this layer is created here", "source"),)
    return ()


def outcome_note(case: Case, missing: int, layers: Sequence[int]) -> Note:
    reader = f"{case.expectation.reader} {case.expectation.version}".strip()
    left = f"{plural(missing, 'tensor')} of {layers_text(layers)} random"
    return Note("outcome", f"{reader} loads without an exception and leaves {left}")
