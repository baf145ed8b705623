"""LP202 embedding-flattened: the input embedding is stored as one long row."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.vocabulary import embedding
from loadproof.rules.vocabulary.head_flattened import flat_finding


def check(case: Case) -> Iterable[Found]:
    yield from flat_finding(
        case,
        embedding(case),
        "looked up as it is, it raises `'weight' must be 2-D`",
    )


DOCS = RuleDocs(
    finds="An input embedding that holds exactly vocabulary x hidden numbers in one dimension.",
    why=(
        "The parameter was flattened in memory and saved so. The data is whole and in order; with a tied head "
        "both uses "
        "of the matrix are affected."
    ),
    errors=(
        "transformers: RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error",
        "torch: RuntimeError: 'weight' must be 2-D",
        "vLLM: AssertionError in VocabParallelEmbedding.weight_loader",
    ),
    example="`model.embed_tokens.weight` BF16 `[622329856]` where the class expects `[151936, 4096]`.",
    fix="Header only: the shape is rewritten, the data is not touched.",
    harmless="Never. `[N, 1]` in U8 is packed 4-bit data, another length is a slice: neither may be reshaped.",
)
RULE = Rule("LP202", "embedding-flattened", "The input embedding is stored as one long row", check, DOCS)
