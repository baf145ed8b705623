"""LP905: a live parameter is one rank's piece of a larger one."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.live.live_findings import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: one rank's piece, not the whole weight")


RULE = Rule(
    code="LP905",
    slug="local-shard",
    title="A parameter in use is the local shard of one rank",
    check=check,
    docs=RuleDocs(
        finds="An FSDP1 view (1-D, any length), or the result of `DTensor.to_local()` installed as a weight (2-D, "
        "fewer rows).",
        why="A 1-D piece raises in the embedding. A 2-D piece is worse: the head still multiplies and returns logits "
        "over a part of the vocabulary, silently. On one rank local and global are equal, so "
        "single-process tests miss it.",
        errors=(
            "torch under FSDP1: RuntimeError: 'weight' must be 2-D",
            "torch under FSDP2/TP: no exception; 65 rows on 2 ranks give 32 or 33 logits",
        ),
        example="lm_head.weight (output head): expected [65, 32], found [33, 32] float32",
        fix="Keep the DTensor, call the root module, or gather with `full_tensor()` / `summon_full_params`.",
        harmless="DTensors are judged by their global shape and not reported.",
    ),
)
