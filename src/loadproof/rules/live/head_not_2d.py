"""LP901: the live head or input embedding does not have two dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.live.live_findings import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}, it must be [rows, columns]")


RULE = Rule(
    code="LP901",
    slug="head-not-2d",
    title="The output head or input embedding is not two-dimensional",
    check=check,
    docs=RuleDocs(
        finds="A live model whose output head or input embedding has one dimension, or more than two.",
        why="`F.embedding` demands a 2-D weight and raises; `F.linear` accepts a 1-D weight as a vector and then "
        "raises on sizes, or, for a vector of exactly `hidden` elements, silently returns one "
        "value per token. A tied head "
        "is flattened together with the embedding, so the forward that starts from `inputs_embeds` may still work.",
        errors=(
            "torch (input embedding, or a head tied to it): RuntimeError: 'weight' must be 2-D",
            "torch (untied head): RuntimeError: size mismatch, got input (5), mat (5x32), vec (2048)",
            "torch (untied head, last position only): RuntimeError: Expected size for first two dimensions of batch2 "
            "tensor to be: [1, 32] but got: [1, 2048].",
        ),
        example="lm_head.weight (output head): expected [64, 32], found [2048] float32",
        fix="`ensure_lm_head_2d(model)` views the parameter as [rows, columns] in place when its element count proves "
        "that nothing is missing: same storage, same Parameter, ties and optimizer references stay.",
        harmless="Never for a plain parameter. Packed 4-bit weights and DTensors are judged by their dense or global "
        "shape instead (LP906, LP905).",
    ),
)
