"""Experts packed in a form that the reader does not unpack, by the stored tensors alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loadproof.core.case import Case
from loadproof.core.outcome import Row
from loadproof.lexicon.experts import PACKS
from loadproof.lexicon.words import any_of
from loadproof.quantization.census import Module
from loadproof.rules.evidence.survey import survey

# Layouts of which a release that stacks experts unpacks linear modules only (transformers 5.24 integrations/).
_LINEAR_ONLY = ("gptq", "awq-gemm", "awq-gemv", "bitsandbytes-4bit", "bitsandbytes-8bit")
_STACK = re.compile(rf"\.experts\.(?:{any_of((*PACKS, 'gate_proj', 'up_proj'))})(?:\.weight)?\Z")


def packed_one_by_one(case: Case) -> list[Module]:
    """Experts that are packed one by one, where the class of this release holds them stacked and dense."""
    if not any(_STACK.search(expected.template) for expected in case.expectation.families):
        return []
    return [module for module in survey(case).census.packed if _is_expert(module)]


def _is_expert(module: Module) -> bool:
    match = module.match
    return ".experts.{}." in module.template and match is not None and match.whole and match.layout.name in _LINEAR_ONLY


def stacks(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Reported names of stacked experts."""
    return tuple(row for row in rows if _STACK.search(row.template) and row.kind != "unexpected")
