"""LP211 head-transposed: head or embedding are stored with rows and columns swapped."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.swapped import is_swapped, swapped_finding
from loadproof.rules.evidence.vocabulary import embedding, head, rows_of


def check(case: Case) -> Iterable[Found]:
    both = [*rows_of(case, head(case), "mismatched"), *rows_of(case, embedding(case), "mismatched")]
    rows = [row for row in dict.fromkeys(both) if is_swapped(row)]
    others = [row for row in case.outcome.rows if is_swapped(row) and row not in rows]
    if rows and not others:
        yield swapped_finding(rows)


DOCS = RuleDocs(
    finds="A head or embedding of shape `[hidden, vocabulary]`.",
    why=(
        "Another framework or a custom layer keeps the output matrix with inputs first (Conv1D, JAX, Megatron "
        "variants) "
        "and the converter forgot to turn it."
    ),
    errors=("transformers: RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error",),
    example="`lm_head.weight` `[4096, 151936]` where the class expects `[151936, 4096]`.",
    fix="The matrix is turned: every number is kept, the data is rewritten.",
    harmless="Never.",
)
RULE = Rule("LP211", "head-transposed", "Head or embedding are stored transposed", check, DOCS)
