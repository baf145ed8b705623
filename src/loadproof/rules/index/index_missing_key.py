"""LP105 index-missing-key: shards hold tensors that the index does not name."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import evidence_of, faults
from loadproof.rules.evidence.shards import deciding_index, set_of


def check(case: Case) -> Iterable[Found]:
    problems = faults(case, RULE.code)
    index = deciding_index(case)
    if not problems or index is None:
        return
    first = problems[0]
    count = f"{len(problems):,} tensors" if len(problems) > 1 else f"{first.tensor}"
    headline = f"{index.path}: {count} held by a shard and not named by the index"
    fix = Fix(f"write {index.path} anew from the shards", "lossless", (RebuildIndex(index.path, set_of(index)),))
    yield Found(
        severity="warning", confidence="certain", headline=headline, evidence=evidence_of(problems), fixes=(fix,)
    )


DOCS = RuleDocs(
    finds="Tensors of indexed files that `weight_map` does not list.",
    why=(
        "transformers and mlx-lm read whole files and load them; tools that look tensors up in the index do not "
        "find them."
    ),
    errors=(
        "transformers: no error, they load",
        "llama.cpp convert: ValueError: Extra tensors",
        "device_map / offload tools: KeyError",
    ),
    example="model-00001-of-00002.safetensors holds `model.norm.weight`, the index does not name it.",
    fix="Write the index anew from the headers.",
    harmless="For transformers, vLLM and mlx-lm.",
)
RULE = Rule("LP105", "index-missing-key", "Shards hold tensors that the index does not name", check, DOCS)
