"""LP310 layer-numbering: the layers are counted from 1, or with a hole."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import HOLE, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, about
from loadproof.core.severity import Confidence
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import built_plan, rows_in_layers
from loadproof.rules.evidence.prediction_heads import stored_heads
from loadproof.rules.evidence.whatif import explained_by
from loadproof.rules.evidence.wording import layers_text, plural
from loadproof.rules.rows import tally

Numbers = dict[int, int]  # stored number -> number that the class counts


def check(case: Case) -> Iterable[Found]:
    built, stored = built_plan(case), case.tensor_plan
    if built is None or stored is None:
        return
    wanted, held = len(built.words), _held(case, stored.field)
    if len(held) == wanted and held != list(range(wanted)):
        yield from _renumbered(case, stored.field, held)
    elif held and len(held) < wanted and held[-1] + 1 == wanted:
        yield from _lost(case, built.field, sorted(set(range(wanted)) - set(held)))


def _stack(case: Case, field: str) -> list[Family]:
    return [family for family in case.manifest.families if family.template.startswith(f"{field}.{HOLE}.")]


def _held(case: Case, field: str) -> list[int]:
    """Numbers of the stored layers, without the prediction heads behind the last one."""
    heads = {layer for f in stored_heads(case) if f.template.startswith(f"{field}.{HOLE}.") for layer in f.axes[0]}
    return sorted({layer for family in _stack(case, field) for layer in family.axes[0]} - heads)


# ---------------------------------------------------------------- as many as wanted, under other numbers
def _renumbered(case: Case, field: str, held: list[int]) -> Iterable[Found]:
    """Proven by the reader: under the right numbers every row of these layers vanishes and none is new."""
    numbers = {layer: position for position, layer in enumerate(held)}
    gone, new = explained_by(case, [_moved(family, field, numbers) for family in case.manifest.families])
    if new or not gone:
        return
    from_one = held == list(range(1, len(held) + 1))
    how = "from 1, the class counts from 0"
    if not from_one:
        how = f"with a hole ({_range_text(held)}), the class counts from 0 without one"
    headline = f"the file counts its {plural(len(held), 'layer')} {how}"
    moved = [layer for layer in held if numbers[layer] != layer]
    ends = dict.fromkeys((moved[0], moved[-1]))
    becomes = ", ... ".join(f"{layer} becomes {numbers[layer]}" for layer in ends)
    evidence = (
        Evidence(about("tensors"), f"{layers_text(held)} under {field}"),
        Evidence(NOWHERE, f"{case.expectation.class_name} expects {layers_text(range(len(held)))}", "note"),
        Evidence(NOWHERE, f"the order stays: {becomes}", "note"),
    )
    fix = Fix(f"number them 0 to {len(held) - 1} in the headers", "lossless", (_rename(case, field, numbers),))
    confidence: Confidence = "certain" if from_one else "likely"
    yield Found(
        severity="error", confidence=confidence, headline=headline, evidence=evidence, rows=tuple(gone), fixes=(fix,)
    )


def _moved(family: Family, field: str, numbers: Numbers) -> Family:
    if not family.template.startswith(f"{field}.{HOLE}."):
        return family
    layers = tuple(numbers.get(layer, layer) for layer in family.axes[0])
    return replace(family, axes=(layers, *family.axes[1:]))


def _rename(case: Case, field: str, numbers: Numbers) -> RenameTensors:
    start = f"{field}.{HOLE}."
    return RenameTensors(
        tuple(
            (f"{field}.{layer}.{rest}", f"{field}.{numbers[layer]}.{rest}", family.axes[1:])
            for family in _stack(case, field)
            for rest in (family.template.removeprefix(start),)
            for layer in family.axes[0]
            if numbers.get(layer, layer) != layer
        )
    )


def _range_text(held: list[int]) -> str:
    absent = sorted(set(range(held[0], held[-1])) - set(held))
    starts = f"from {held[0]}, " if held[0] else ""
    return f"{starts}no {layers_text(absent).removeprefix('layers ').removeprefix('layer ')}" if absent else starts[:-2]


# ---------------------------------------------------------------- fewer than wanted
def _lost(case: Case, field: str, absent: list[int]) -> Iterable[Found]:
    """Layers before the last one of which nothing is stored."""
    rows: list[Row] = [row for row in rows_in_layers(case, absent, field) if row.kind == "missing"]
    if {layer for row in rows for layer in row.axes[0]} != set(absent):
        return
    verb = "is" if len(absent) == 1 else "are"
    headline = f"{layers_text(absent)} {verb} not stored at all, those before and behind are"
    evidence = (
        Evidence(about("tensors"), f"nothing under {show(f'{field}.{HOLE}', (tuple(absent),))}"),
        Evidence(NOWHERE, tally(rows), "note"),
    )
    how = (
        "take them from the model this one was made from; if they were pruned on purpose, renumber the others and set "
    )
    fix = Fix(f"{how}the depth to match", "manual")
    yield Found(
        severity="error", confidence="likely", headline=headline, evidence=evidence, rows=tuple(rows), fixes=(fix,)
    )


RULE = Rule(
    code="LP310",
    slug="layer-numbering",
    group="plan",
    title="The layers are counted from 1, or with a hole",
    check=check,
)
