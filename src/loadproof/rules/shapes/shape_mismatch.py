"""LP501 shape-mismatch: shapes that no other rule explains."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.wording import plural, row_evidence, shape_text
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    rows = of_kind(case.outcome.rows, "mismatched", "conversion")
    if rows:
        yield _finding(rows, _unfilled(case, rows))


def _unfilled(case: Case, rows: list[Row]) -> list[Row]:
    """A parameter that cannot be put together is missing as well: the same names once more."""
    broken = {row.template for row in rows if row.kind == "conversion"}
    return [row for row in of_kind(case.outcome.rows, "missing") if row.template in broken]


def _finding(rows: list[Row], unfilled: list[Row]) -> Found:
    number = sum(count(row.axes) for row in rows)
    first = rows[0]
    if number == 1 and first.kind == "mismatched":
        name = show(first.template, first.axes) if first.stored in (None, first.template) else first.stored
        headline = f"{name} has shape {shape_text(first.found)}, the class expects {shape_text(first.expected)}"
    elif first.kind == "conversion" and len(rows) == 1:
        headline = f"{plural(number, 'parameter')} cannot be put together from what is stored"
    else:
        headline = f"{plural(number, 'tensor')} have shapes that the class does not expect"
    fixes = (
        Fix("take the config that was saved with these weights, or the weights that belong to this config", "manual"),
    )
    evidence = row_evidence(rows)
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=(*rows, *unfilled),
        fixes=fixes,
    )


RULE = Rule(
    code="LP501",
    slug="shape-mismatch",
    group="shapes",
    title="Tensors have shapes that the class does not expect",
    check=check,
)
