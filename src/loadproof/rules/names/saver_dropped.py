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
from loadproof.rules.evidence.shards import listed
from loadproof.rules.rows import of_kind

MOST = 0.5  # of the kinds of tensors in a layer; more is not an oversight of a saver


def check(case: Case) -> Iterable[Found]:
    """Kinds of tensors missing in every layer that should have them, while all else is there and nothing left over."""
    rows = case.outcome.rows
    missing = [row for row in of_kind(rows, "missing") if row.axes]
    if not missing or of_kind(rows, "unexpected", "conversion"):
        return
    expected = {family.template: family for family in case.expectation.families}
    everywhere = [row for row in missing if _whole(row, expected)]
    reached = {found.target for found in case.outcome.assignments}
    layers = {_layer(row.template) for row in everywhere}
    beside = {template for template in reached if _layer(template) in layers}
    if not everywhere or len({row.template for row in everywhere}) > MOST * len(
        beside | {row.template for row in everywhere}
    ):
        return
    kinds = sorted({".".join(row.template.split(".")[-2:]) for row in everywhere})
    headline = f"{listed(kinds)} {'is' if len(kinds) == 1 else 'are'} missing in every layer, everything else is there"
    evidence = tuple(
        Evidence(_source(expected[row.template]), f"{show(row.template, row.axes)} {_shape(row.expected)}")
        for row in everywhere[:4]
    )
    fix = Fix("take these tensors from the model this one was made from, if they were frozen", "manual")
    notes = (Note("origin", "an exporter or merge tool written for an older family without these parameters"),)
    yield Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=evidence,
        rows=tuple(everywhere),
        fixes=(fix,),
        notes=notes,
    )


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
