"""LP610 quant-misread: packed or scaled numbers land in ordinary parameters."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.wording import plural
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """What no rule about a declaration explains: the numbers are cast as they are, and nothing is reported."""
    rows = of_kind(case.outcome.rows, "misread")
    if not rows:
        return
    number = sum(count(row.axes) for row in rows)
    dtypes = ", ".join(sorted({row.dtype or "" for row in rows}))
    verb = "is" if number == 1 else "are"
    headline = f"{plural(number, 'weight')} {verb} stored as {dtypes} and cast to the parameter's dtype unscaled"
    fix = Fix("export it again with its quantization_config and scales, or in 16 bit", "manual")
    notes = (Note("note", "the reader reports nothing: every name and shape fits"),)
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(map(_line, rows[:3])),
        rows=tuple(rows),
        fixes=(fix,),
        notes=notes,
    )


def _line(row: Row) -> Evidence:
    name, axes = row.stored or row.template, row.stored_axes or row.axes
    shown = show(name, axes) if name.count("{}") == len(axes) else name
    return Evidence(in_files(row.files[:2], 2), f"{shown} {row.dtype} {list(row.found or ())}")


RULE = Rule(
    code="LP610",
    slug="quant-misread",
    group="quantization",
    title="Packed or scaled numbers land in ordinary parameters",
    check=check,
)
