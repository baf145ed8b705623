"""LP906: a live parameter holds packed quantized values and is used as a dense one."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.live.live_findings import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: packed values without their quantization state")


RULE = Rule(
    code="LP906",
    slug="packed-parameter",
    title="A packed quantized parameter is used as a dense one",
    check=check,
    docs=RuleDocs(
        finds="A head or embedding with integer elements of another shape than the module's and no quantization state "
        "beside it, or a quantization state for another dense shape.",
        why="A packed table `[N, 1]` has two dimensions, so rank tests pass: an embedding on it silently yields "
        "vectors of length 1; a product raises.",
        errors=("torch: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x32 and 1x1024)",),
        example="lm_head.weight (output head): expected [64, 32], found [1024, 1] uint8",
        fix="Load with the quantization_config of the save. Packed values cannot be reshaped into weights.",
        harmless="bitsandbytes `Params4bit` with its `quant_state` is judged by `quant_state.shape` and not reported.",
    ),
)
