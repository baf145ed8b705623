"""LP410 expert-gap: experts are missing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from loadproof.config import spelled, text_config, text_config_path, value_of, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about
from loadproof.core.severity import Confidence
from loadproof.lexicon.experts import ONE_BY_ONE, is_of_expert
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_layout import is_companion_name
from loadproof.rules.evidence.wording import plural

MOST_PLACES = 1_000_000  # experts of all layers that there would be; the largest model has a quarter of it
_EXPERT = re.compile(ONE_BY_ONE)


def check(case: Case) -> Iterable[Found]:
    """An expert, or one projection of it, is not stored: an error row, or silently the next expert in its place."""
    held = held_experts(case)
    wanted = value_of(text_config(case.config), "num_experts")
    missed = any(is_of_expert(row.template) for row in case.outcome.rows)
    totals = {module: _total(case, leaves, wanted) for module, leaves in held.items()}
    places = [(totals[module], by_layer) for module, leaves in held.items() for by_layer in leaves.values()]
    if sum(total * len(by_layer) for total, by_layer in places) > MOST_PLACES:
        return  # such numbers are made up: they stay among the rows that nothing explains
    gaps = [gap for module, leaves in held.items() for gap in _gaps(leaves, totals[module], missed)]
    if not gaps:
        return
    layers = {index for gap in gaps for index in gap.layers}
    rows = [row for row in case.outcome.rows if is_of_expert(row.template) and _in_layers(row, layers)]
    tensors = sum(len(gap.experts) * max(1, len(gap.layers)) for gap in gaps)
    first = gaps[0]
    headline = f"{plural(tensors, 'tensor')} of experts {'is' if tensors == 1 else 'are'} missing: {first.what()}"
    evidence = [Evidence(about("not stored"), gap.what()) for gap in gaps[:3]]
    evidence.append(Evidence(_where(case), f"num_experts = {wanted}"))
    silent = not rows
    notes = (
        (Note("note", "experts are stacked in order, not by number: every expert behind a gap moves down one place"),)
        if silent
        else ()
    )
    fix = Fix("take the missing experts from the model this one was made from", "manual")
    # Numbers without a hole that begin above 0: expert 0 is lost, or somebody counts from 1.
    shifted = silent and all(gap.experts == tuple(range(len(gap.experts))) for gap in gaps)
    confidence: Confidence = "likely" if shifted or (not silent and len(gaps) >= 4) else "certain"
    yield Found(
        severity="error",
        confidence=confidence,
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=(fix,),
        notes=notes,
    )


class _Gap(Struct, frozen=True):
    """Experts of one projection that some layers lack."""

    template: str
    layers: tuple[int, ...]
    experts: tuple[int, ...]

    def what(self) -> str:
        axes = ((self.layers,) if self.layers else ()) + (self.experts,)
        return show(self.template, axes)


def held_experts(case: Case) -> dict[str, dict[str, dict[int, set[int]]]]:
    """Per expert module: leaf template -> layer -> stored expert numbers. Modules without layers count as layer -1."""
    held: dict[str, dict[str, dict[int, set[int]]]] = {}
    for family in case.manifest.families:
        found = None if is_companion_name(family.template) else _EXPERT.search(family.template)
        if (
            found is None
            or len(family.axes) > 2
            or family.template[: found.start()].count("{}") != len(family.axes) - 1
        ):
            continue
        layers = family.axes[0] if len(family.axes) == 2 else (-1,)
        by_layer = held.setdefault(family.template[: found.start()], {}).setdefault(family.template, {})
        for layer in layers:
            by_layer.setdefault(layer, set()).update(family.axes[-1])
    return held


def _total(case: Case, leaves: dict[str, dict[int, set[int]]], wanted: object) -> int:
    """How many experts there should be: the number of the config where some are missed and the router has them all."""
    stored = 1 + max(max(experts) for by_layer in leaves.values() for experts in by_layer.values())
    routers = [row for row in case.outcome.rows if row.kind == "mismatched" and not is_of_expert(row.template)]
    misses = any(is_of_expert(row.template) for row in case.outcome.rows)
    if (
        misses
        and isinstance(wanted, int)
        and wanted > stored
        and not any((row.found or (0,))[0] == stored for row in routers)
    ):
        return wanted
    return stored


def _gaps(leaves: dict[str, dict[int, set[int]]], total: int, missed: bool) -> Iterable[_Gap]:
    everything = set(range(total))
    known: dict[frozenset[int], tuple[int, ...]] = {}
    for template, by_layer in leaves.items():
        lacking: dict[tuple[int, ...], list[int]] = {}
        for layer, experts in by_layer.items():
            key = frozenset(experts)
            if key not in known:
                known[key] = _absent(key, everything, missed)
            if absent := known[key]:
                lacking.setdefault(absent, []).append(layer)
        for absent, layers in lacking.items():
            yield _Gap(template, tuple(layer for layer in sorted(layers) if layer >= 0), absent)


def _absent(experts: frozenset[int], everything: set[int], missed: bool) -> tuple[int, ...]:
    """The numbers that one layer lacks; none where they are counted from 0 without a hole and the class wants no more
    (the identity experts of longcat_flash)."""
    if experts == everything or not (missed or experts != set(range(len(experts)))):
        return ()
    return tuple(sorted(everything - experts))


def _in_layers(row: Row, layers: set[int]) -> bool:
    return not layers or bool(row.axes and layers & set(row.axes[0]))


def _where(case: Case) -> Place:
    path = text_config_path(case.config)
    key = spelled(text_config(case.config), "num_experts")
    return where(case.config, (*path, key)) if key else Place("config.json")


RULE = Rule(
    code="LP410",
    slug="expert-gap",
    group="names",
    title="Experts are missing",
    check=check,
)
