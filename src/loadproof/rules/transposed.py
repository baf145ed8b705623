"""LP503 transposed: matrices are stored with rows and columns swapped."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.swapped import is_swapped, swapped_finding
from loadproof.types import Case, Finding


def check(case: Case) -> Iterable[Finding]:
    rows = [row for row in case.outcome.rows if is_swapped(row)]
    if rows:
        yield swapped_finding("LP503", "transposed", rows)


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
