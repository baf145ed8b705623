"""LP412 ignored-weights: an ignore pattern of the model class hides real weights."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import in_files, tensors_at
from loadproof.core.tensors import Family
from loadproof.lexicon.legacy import LEGACY
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import SHOWN


def check(case: Case) -> Iterable[Found]:
    """Rows that were swallowed: lost parameters are reported, stored weights that nobody wants are an info."""
    yield from _lost(case)
    ignored = [row for row in case.outcome.ignored if row.kind == "unexpected"]
    if not case.expectation.families:
        ignored = [_as_row(family) for family in case.manifest.families if LEGACY.search(family.template)]
    legacy = [row for row in ignored if LEGACY.search(row.template)]
    real = [row for row in ignored if not LEGACY.search(row.template)]
    if real:
        yield _remark(case, real, "{} stored tensors are dropped without a word by an ignore pattern of {}")
    if legacy:
        yield _remark(case, legacy, "{} legacy buffers are stored and harmlessly ignored by {}")


def _lost(case: Case) -> Iterable[Found]:
    """A parameter that most layers have and some lack is damage, even if the class is told not to mention it."""
    filled: dict[str, int] = {}
    for found in case.outcome.assignments:
        filled[found.target] = filled.get(found.target, 0) + count(found.target_axes)
    lost = [row for row in case.outcome.ignored if row.kind == "missing" and row.axes and filled.get(row.template)]
    tied = {target for target, _ in case.outcome.tied}
    lost = [row for row in lost if row.template not in tied]
    if not lost:
        return
    number = sum(count(row.axes) for row in lost)
    headline = f"{number:,} parameters are missing and an ignore pattern keeps the reader from saying so"
    evidence = tuple(
        Evidence(tensors_at(row.template, row.axes), f"stored in {filled[row.template]:,} other places")
        for row in lost[:SHOWN]
    )
    fix = Fix("take these tensors from the model this one was made from", "manual")
    yield Found(severity="error", confidence="likely", headline=headline, evidence=evidence, fixes=(fix,))


def _as_row(family: Family) -> Row:
    return Row("unexpected", family.template, family.axes, stored=family.template, files=family.files)


def _remark(case: Case, rows: list[Row], text: str) -> Found:
    number = sum(count(row.axes) for row in rows)
    headline = text.format(f"{number:,}", case.expectation.class_name or "every reader")
    evidence = tuple(Evidence(in_files(row.files[:2], 2), show(row.template, row.axes)) for row in rows[:SHOWN])
    return Found(severity="info", confidence="certain", headline=headline, evidence=evidence)


RULE = Rule(
    code="LP412",
    slug="ignored-weights",
    group="names",
    title="An ignore pattern of the model class hides real weights",
    check=check,
)
