"""LP503 transposed: matrices are stored with rows and columns swapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import Fix, TransposeTensors
from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.joined_tensors import joined_targets, source_evidence, swapped_sources
from loadproof.rules.evidence.swapped_matrices import is_swapped, swapped_finding


def check(case: Case) -> Iterable[Found]:
    joined = joined_targets(case)
    rows = [row for row in case.outcome.rows if is_swapped(row) and row.template not in joined]
    if rows:
        found = swapped_finding(rows)
        square = _undecided(case, rows)
        yield replace(found, fixes=(_by_hand(square),)) if square else found
    yield from _joined(case)


def _joined(case: Case) -> Iterable[Found]:
    """The same for tensors that the reader joins before it compares shapes."""
    found, rows = swapped_sources(case)
    if found:
        number = sum(count(family.axes) for family, _ in found)
        headline = f"{number:,} {'matrix is' if number == 1 else 'matrices are'} stored transposed"
        edits = tuple(
            TransposeTensors(family.template, family.axes, (len(shape) - 2, len(shape) - 1)) for family, shape in found
        )
        fix = Fix("swap rows and columns; every number is kept, the data is rewritten", "lossless", edits)
        evidence = source_evidence(found)
        yield Found(
            severity="error", confidence="likely", headline=headline, evidence=evidence, rows=tuple(rows), fixes=(fix,)
        )


def _undecided(case: Case, rows: Sequence[Row]) -> list[str]:
    """Square matrices that may be turned as well: their shape does not tell, and no oblong neighbour stands as it should."""
    swapped = {row.template for row in rows}
    matrices = {e.template: e.shape for e in case.expectation.families if len(e.shape) == 2 and ".{}." in e.template}
    oblong = [name for name, shape in matrices.items() if shape[0] != shape[1] and name not in swapped]
    square = [name for name, shape in matrices.items() if shape[0] == shape[1]]
    if not oblong:
        return square
    upright = {_module(name) for name in oblong}
    turned = {_module(name) for name in swapped} - upright
    return [name for name in square if _module(name) in turned]


def _module(template: str) -> str:
    """`model.layers.{}.self_attn` of `model.layers.{}.self_attn.q_proj.weight`."""
    return template.rsplit(".", 2)[0]


def _by_hand(square: Sequence[str]) -> Fix:
    shown = ", ".join(square[:3]) + (" ..." if len(square) > 3 else "")
    text = f"convert the checkpoint again: square matrices ({shown}) may be turned too, and their shape does not tell"
    return Fix(text, "manual")


RULE = Rule(
    code="LP503",
    slug="transposed",
    group="shapes",
    title="Matrices are stored transposed",
    check=check,
)
