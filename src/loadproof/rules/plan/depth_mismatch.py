"""LP307 depth-mismatch: the config has another number of layers than the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.lines import where
from loadproof.config.plan.codec import depth_of
from loadproof.config.plan.reading import text_fields
from loadproof.config.plan.spellings import CODECS
from loadproof.config.spellings import spelled
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, LayerPlan, dotted
from loadproof.core.edits import Edit, Fix, SetJson
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import built_plan, config_file, rows_in_layers
from loadproof.rules.evidence.prediction_heads import stored_heads
from loadproof.rules.evidence.whatif import is_known
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import json_text, layers_text, plural
from loadproof.rules.rows import tally


def check(case: Case) -> Iterable[Found]:
    built, stored = built_plan(case), case.tensor_plan
    if built is None or stored is None:
        return
    held, wanted = _held(case, stored), len(built.words)
    if held == wanted or set(_stored_layers(case, stored)) < set(range(held)):
        return  # a hole or a count from 1 is a question of numbers, not of depth
    layers = range(held, wanted) if held < wanted else range(wanted, held)
    rows = [row for row in rows_in_layers(case, layers, built.field) if row.kind in ("missing", "unexpected")]
    if not rows or not _whole_layers(rows, layers):
        return
    yield _finding(case, held, wanted, list(layers), rows)


def _held(case: Case, stored: LayerPlan) -> int:
    """How many stored layers belong to the stack: prediction heads behind the last one do not."""
    heads = {f.axes[0][0] for f in stored_heads(case) if f.template.startswith(stored.field + ".{}.")}
    return min([len(stored.words), *heads])


def _stored_layers(case: Case, stored: LayerPlan) -> list[int]:
    """Numbers of the layers of the stack that hold anything."""
    start = f"{stored.field}.{{}}."
    return sorted({layer for f in case.manifest.families if f.template.startswith(start) for layer in f.axes[0]})


def _whole_layers(rows: list[Row], layers: Sequence[int]) -> bool:
    """Every one of these layers is concerned: a gap in the middle or a lost tensor is something else."""
    return {layer for row in rows for layer in row.axes[0]} == set(layers)


def _finding(case: Case, held: int, wanted: int, layers: list[int], rows: list[Row]) -> Found:
    edits = depth_edits(case, held, wanted)
    found = explained_by_config(case, edits) if edits else None
    proven = found is not None and is_known(found[1], case) and bool(found[0])
    path = depth_path(case)
    value = get(case.config, path)
    said = "is not stated" if value is None else f"= {json_text(value)}"
    says = "the class builds" if value is None else "config.json says"
    headline = f"{says} {plural(wanted, 'layer')}, the checkpoint holds {held}"
    evidence = (
        Evidence(where(case.config, path), f"{dotted(path)} {said}"),
        Evidence(
            about("tensors"), f"{plural(held, 'layer')} under {case.tensor_plan.field if case.tensor_plan else ''}"
        ),
        Evidence(NOWHERE, f"{layers_text(layers)}: {tally(rows)}", "note"),
    )
    claimed = tuple(found[0]) if proven and found else tuple(rows)
    if proven:
        text = (
            f"set {dotted(path)} to {held}" if path[-1] != _plan_name(case) else f"cut {dotted(path)} to {held} layers"
        )
        text += " and shorten the lists that go with it" if len(edits) > 1 else ""
        fix = Fix(text, "lossless", edits)
    else:
        fix = Fix(f"make the depth agree: {plural(held, 'layer')} {'is' if held == 1 else 'are'} stored", "manual")
    return Found(
        severity="error", confidence="likely", headline=headline, evidence=evidence, rows=claimed, fixes=(fix,)
    )


def depth_edits(case: Case, held: int, wanted: int) -> tuple[Edit, ...]:
    """The stored depth, and every per-layer list of the same config cut to it or filled up from the tensors."""
    base, fields = text_config_path(case.config), text_config(case.config)
    path = depth_path(case)
    edits: list[Edit] = [] if path[-1] == _plan_name(case) else [SetJson(config_file(case), path, held)]
    for name, value in fields.items():
        if not value:
            continue
        made = _resized(case, name, value, held, wanted)
        if made is None:
            return ()
        if made != value:
            edits.append(SetJson(config_file(case), (*base, name), made))
    return tuple(edits)


def _resized(case: Case, name: str, value: Any, held: int, wanted: int) -> Any:
    """The value for the stored layers; the value itself where it does not go with the depth, None for guesses."""
    if name in CODECS:
        known = case.tensor_plan.words if case.tensor_plan is not None else ()
        return CODECS[name].resized(value, held, known[wanted:held])
    if not isinstance(value, list) or len(value) != wanted or not _is_per_layer(name):
        return value
    if held <= len(value):
        return value[:held]
    return value + value[-1:] * (held - len(value)) if len(set(map(str, value))) == 1 else None


def _is_per_layer(name: str) -> bool:
    return name.endswith(("_types", "_per_layer", "_layers", "_type_list", "_pattern", "_block_type"))


def depth_path(case: Case) -> JsonPath:
    """The field that decides the depth: the number of layers, or the plan where the class derives the depth from it."""
    fields = text_config(case.config)
    derived = depth_of(text_fields(case.expectation.config)) is None and case.config_plan is not None
    name = _plan_name(case) if derived else spelled(fields, "num_hidden_layers") or "num_hidden_layers"
    return (*text_config_path(case.config), name)


def _plan_name(case: Case) -> str:
    return case.config_plan.field.rpartition(".")[2] if case.config_plan is not None else ""


RULE = Rule(
    code="LP307",
    slug="depth-mismatch",
    group="plan",
    title="Config and file have different numbers of layers",
    check=check,
)
