"""LP304 layer-plan-one-based: a list of layer numbers is off by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.edited import with_edits
from loadproof.config.lines import where
from loadproof.config.plan.reading import diff_plans
from loadproof.config.plan.spellings import CODECS, read_words
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, LayerPlan, dotted
from loadproof.core.edits import Edit, Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import config_file, strips
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import json_text


def check(case: Case) -> Iterable[Found]:
    stored = case.tensor_plan
    if stored is None:
        return
    for name, codec in CODECS.items():
        first = codec.first
        edits = _shifted(case, name, 1 if first else -1)
        if edits and not _reads_as(case, (), name, stored) and _reads_as(case, edits, name, stored):
            yield from _finding(case, name, first, edits, stored)


def _shifted(case: Case, name: str, step: int) -> tuple[Edit, ...]:
    """The lists of this field with every number moved by `step`."""
    return tuple(
        SetJson(config_file(case), path, [number + step for number in numbers]) for path, numbers in _lists(case, name)
    )


def _lists(case: Case, name: str) -> Iterator[tuple[JsonPath, list[int]]]:
    path = (*text_config_path(case.config), name)
    try:
        found = CODECS[name].numbered(get(case.config, path))
    except (TypeError, AttributeError):
        return
    yield from (((*path, *inner), numbers) for inner, numbers in found.items())


def _reads_as(case: Case, edits: tuple[Edit, ...], name: str, stored: LayerPlan) -> bool:
    words = read_words(text_config(with_edits(case.config, edits)), name)
    if words is None or len(words) != len(stored.words):
        return False
    return diff_plans(LayerPlan(words, "config"), stored).same and None not in words


def _finding(case: Case, name: str, first: int, edits: tuple[Edit, ...], stored: LayerPlan) -> Iterable[Found]:
    found = explained_by_config(case, edits)
    if found is None or found[1]:
        return
    failing = case.expectation.raises is not None or case.outcome.raises
    if not found[0] and not failing:
        return
    places = list(_lists(case, name))
    evidence = [Evidence(where(case.config, path), f"{dotted(path)} = {json_text(value)}") for path, value in places]
    words = read_words(text_config(case.config), name)
    if words and len(words) == len(stored.words):
        evidence += strips(LayerPlan(words, "config"), stored)
    other = "0" if first else "1"
    headline = f"{dotted(places[0][0])} counts layers from {other}, the class counts from {first}"
    fix = Fix(f"{'raise' if first else 'lower'} every number of {name} by one", "lossless", edits)
    notes = (Note("outcome", case.expectation.raises),) if case.expectation.raises else ()
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(found[0]),
        fixes=(fix,),
        notes=notes,
    )


RULE = Rule(
    code="LP304",
    slug="layer-plan-one-based",
    group="plan",
    title="A list of layer numbers is off by one",
    check=check,
    absorbs=("LP306",),
)
