"""LP309 mtp-unannounced: prediction heads are stored, and the config does not mention them."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import config_file
from loadproof.rules.evidence.prediction_heads import field_to_write, promised, stored_heads
from loadproof.rules.evidence.wording import plural


def check(case: Case) -> Iterable[Found]:
    heads = stored_heads(case)
    found = promised(case)
    if not heads:
        return
    rows = _rows(case, heads)
    if found is not None and found[1] > 0:
        if rows:
            yield _unused(heads, rows)
        return
    number = sum(count(family.axes) for family in heads)
    headline = f"{plural(number, 'tensor')} of prediction heads (MTP) are stored and the config does not announce them"
    path = field_to_write(case)
    first = heads[0]
    evidence = (
        Evidence(in_files(first.files), show(first.template, first.axes)),
        Evidence(Place(config_file(case)), f"{'.'.join(map(str, path))} is {'0' if found else 'not stated'}"),
    )
    text = f"state the number of heads in {'.'.join(map(str, path))}, or drop these tensors"
    note = Note("outcome", "the reader does not use them; converters that count them see a layer too many")
    yield Found(
        severity="info",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=(Fix(text, "manual"),),
        notes=(note,),
    )


def _unused(heads: list[Family], rows: list[Row]) -> Found:
    """Announced and stored, but this class has no place for them: harmless, and said so."""
    number = sum(count(family.axes) for family in heads)
    headline = f"{plural(number, 'tensor')} of prediction heads (MTP) are not used by this reader"
    evidence = (Evidence(in_files(heads[0].files), show(heads[0].template, heads[0].axes)),)
    note = Note("outcome", "the model itself is complete; a save with this reader drops these tensors")
    return Found(
        severity="info", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), notes=(note,)
    )


def _rows(case: Case, heads: list[Family]) -> list[Row]:
    """The unexpected rows that are these tensors."""
    by_template: dict[str, list[Family]] = {}
    for family in heads:
        by_template.setdefault(family.template, []).append(family)
    unexpected = [row for row in case.outcome.rows if row.kind == "unexpected"]
    return [row for row in unexpected if any(_is_of(row, family) for family in by_template.get(row.stored or "", ()))]


def _is_of(row: Row, family: Family) -> bool:
    return all(set(mine) <= set(held) for mine, held in zip(row.axes, family.axes, strict=False))


RULE = Rule(
    code="LP309",
    slug="mtp-unannounced",
    group="plan",
    title="Prediction heads are stored and not announced",
    check=check,
)
