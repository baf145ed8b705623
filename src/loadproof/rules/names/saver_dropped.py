"""LP408 saver-dropped: the saver did not know some of the parameters."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.expectation import Expected
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about, source_line
from loadproof.core.tensors import Shape
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.class_fit import fitting, told
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.submodules import assigned, by_root, drops_inside, is_subtree, module_of
from loadproof.rules.rows import of_kind

MOST = 0.5  # of the kinds of tensors in a layer; more is not an oversight of a saver


def check(case: Case) -> Iterable[Found]:
    """Kinds of tensors missing in every layer that should have them, while all else is there and nothing left over; or
    whole modules of such layers, alone or with other parts of the model."""
    rows = case.outcome.rows
    missing = [row for row in of_kind(rows, "missing") if row.axes]
    if not missing or of_kind(rows, "unexpected", "conversion"):
        return
    expected = {family.template: family for family in case.expectation.families}
    everywhere = [row for row in missing if _whole(row, expected)]
    reached = {found.target for found in case.outcome.assignments}
    layers = {_layer(row.template) for row in everywhere}
    beside = {template for template in reached if _layer(template) in layers}
    kinds = {row.template for row in everywhere}
    if not kinds or len(kinds) > MOST * len(beside | kinds):
        yield from _modules(case)
        return
    names = sorted({".".join(template.split(".")[-2:]) for template in kinds})
    headline = f"{listed(names)} {'is' if len(names) == 1 else 'are'} missing in every layer, everything else is there"
    evidence = tuple(
        Evidence(_source(expected[row.template]), f"{show(row.template, row.axes)} {_shape(row.expected)}")
        for row in everywhere[:4]
    )
    fix = Fix("take these tensors from the model this one was made from, if they were frozen", "manual")
    yield Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=evidence,
        rows=tuple(everywhere),
        fixes=(fix,),
        notes=_notes(case),
    )


def _modules(case: Case) -> Iterable[Found]:
    """Parts of the model of which nothing is stored, some of them in layers of which the rest is stored."""
    groups = by_root(of_kind(case.outcome.rows, "missing"), assigned(case))
    if not drops_inside(groups) or not all(map(is_subtree, groups.values())):
        return
    names, lost = listed(sorted(map(module_of, groups))), [row for rows in groups.values() for row in rows]
    expected = {family.template: family for family in case.expectation.families}
    shown = [rows[0] for rows in groups.values()][:4]
    evidence = tuple(
        Evidence(_source(expected[row.template]), f"{show(row.template, row.axes)} {_shape(row.expected)}")
        for row in shown
    )
    fix = Fix("take these tensors from the model this one was made from, if they were frozen", "manual")
    yield Found(
        severity="error",
        confidence="likely",
        headline=f"nothing of {names} is stored, everything else is there",
        evidence=evidence,
        rows=tuple(lost),
        fixes=(fix,),
        notes=_notes(case),
    )


def _notes(case: Case) -> tuple[Note, ...]:
    """Where it comes from; and the classes, if any, that lack nothing: a wrong config would look the same."""
    origin = Note("origin", "an exporter or merge tool written for an older family without these parameters")
    fits = fitting(case, case.manifest.families)
    text = f"the names fit {told(fits)}: if the weights are of that class, config.json is of another model"
    return (origin, Note("note", text)) if fits else (origin,)


def _whole(row: Row, expected: dict[str, Expected]) -> bool:
    family = expected.get(row.template)
    return family is not None and family.axes == row.axes and len(row.axes[0]) > 1


def _layer(template: str) -> str:
    """What stands before the layer number."""
    return template.partition("{}")[0]


def _source(family: Expected) -> Place:
    return source_line(family.source) if family.source else about("expected")


def _shape(shape: Shape | None) -> str:
    return "" if shape is None else str(list(shape))


RULE = Rule(
    code="LP408",
    slug="saver-dropped",
    group="names",
    title="The saver did not know some of the parameters",
    check=check,
)
