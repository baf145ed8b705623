"""LP902: the live head or input embedding has two dimensions of the wrong sizes."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.live.live_findings import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    for fault in faults(case, RULE.code):
        yield finding(fault, f"{describe(fault.parameter)}: {fault.cause}")


RULE = Rule(
    code="LP902",
    slug="head-rows",
    title="The output head or input embedding has the wrong rows or columns",
    check=check,
    docs=RuleDocs(
        finds="A 2-D head or embedding whose sizes differ from `out_features` / `num_embeddings` and the hidden size: "
        "transposed, resized on one side only, or taken from another model.",
        why="Two dimensions are not enough: a transposed head raises at the first product, a head with other rows "
        "gives logits over another vocabulary.",
        errors=(
            "torch: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x32 and 64x32)",
            "torch: IndexError: index out of range in self (token ids above the embedding's rows)",
        ),
        example="lm_head.weight (output head): expected [64, 32], found [32, 64] float32",
        fix="Install the weight the module was built for; transposed: `weight.t().contiguous()`. Never reshape.",
        harmless="Rows above the tokenizer's size are padding and are not reported.",
    ),
)
