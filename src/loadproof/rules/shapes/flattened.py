"""LP504 flattened: the right numbers in the right order under another shape."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, ReshapeTensors
from loadproof.core.families import count
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.flat_matrices import is_flat, is_squeezed, reshape_fix
from loadproof.rules.evidence.joined_tensors import flat_sources, joined_targets, source_evidence
from loadproof.rules.evidence.wording import plural, row_evidence, shape_text


def check(case: Case) -> Iterable[Found]:
    joined = joined_targets(case)
    rows = [row for row in case.outcome.rows if row.template not in joined]
    flat = [row for row in rows if is_flat(row)]
    squeezed = [row for row in rows if is_squeezed(row) and not is_flat(row)]
    if flat:
        yield _finding(flat, "stored flat", "the element counts are exactly those of the matrices")
    if squeezed:
        yield _finding(
            squeezed, "stored without (or with) a dimension of size one", "the order of the numbers is the same"
        )

    yield from _joined(case)


def _joined(case: Case) -> Iterable[Found]:
    """The same for tensors that the reader joins before it compares shapes."""
    found, rows = flat_sources(case)
    if found:
        family, shape = found[0]
        number = sum(count(f.axes) for f, _ in found)
        shapes = f"{shape_text(family.shape)} in place of {shape_text(shape)}"
        verb = "has" if number == 1 else "have"
        headline = f"{plural(number, 'tensor')} {verb} the right numbers in another shape: {shapes}"
        edits = tuple(ReshapeTensors(f.template, f.axes, s) for f, s in found)
        fix = Fix("write the shape of the others into the header; no byte of the data changes", "lossless", edits)
        evidence = source_evidence(found)
        yield Found(
            severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=(fix,)
        )


def _finding(rows: list[Row], what: str, proof: str) -> Found:
    number = sum(count(row.axes) for row in rows)
    row = rows[0]
    shapes = f"{shape_text(row.found)} in place of {shape_text(row.expected)}"
    subject = f"{row.stored or row.template} is" if number == 1 else f"{plural(number, 'tensor')} are"
    headline = f"{subject} {what}: {shapes}"
    evidence = (*row_evidence(rows), Evidence(NOWHERE, proof, "note"))
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=reshape_fix(rows),
    )


RULE = Rule(
    code="LP504",
    slug="flattened",
    group="shapes",
    title="The right numbers under another shape",
    check=check,
)
