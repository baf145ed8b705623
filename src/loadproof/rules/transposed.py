"""LP503 transposed: matrices are stored with rows and columns swapped."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.families import count
from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.joined import joined_targets, source_evidence, swapped_sources
from loadproof.rules.swapped import is_swapped, swapped_finding
from loadproof.types import Case, Finding, Fix, TransposeTensors


def check(case: Case) -> Iterable[Finding]:
    joined = joined_targets(case)
    rows = [row for row in case.outcome.rows if is_swapped(row) and row.template not in joined]
    if rows:
        yield swapped_finding("LP503", "transposed", rows)
    yield from _joined(case)


def _joined(case: Case) -> Iterable[Finding]:
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
        yield Finding("LP503", "transposed", "error", "likely", headline, evidence, tuple(rows), fixes=(fix,))


DOCS = RuleDocs(
    finds="Matrices whose shape is the expected one read backwards.",
    why=(
        "GPT-2 style layers (Conv1D), JAX and some converters keep inputs first. The element count is right, so "
        "nothing is "
        "missing; the order of the numbers is another one."
    ),
    errors=(
        "transformers: RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error",
        "llama.cpp: tensor has wrong shape; expected 4096, 11008, got 11008, 4096",
    ),
    example="`mlp.down_proj.weight` `[11008, 4096]` where the class expects `[4096, 11008]`.",
    fix="The matrix is turned: every number is kept, the data is rewritten.",
    harmless="Square matrices show nothing in their shape and are not meant by this rule.",
)
RULE = Rule("LP503", "transposed", "Matrices are stored transposed", check, DOCS)
