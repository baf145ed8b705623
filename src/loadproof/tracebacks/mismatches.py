"""What the size differences of a load report say: a rank's share, packed weights, one config field, another base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from loadproof.core.severity import Confidence
from loadproof.core.symptom import Symptom
from loadproof.lexicon import ends
from loadproof.lexicon.adapters import PEFT, SAVED
from loadproof.tracebacks.shapes import judge
from loadproof.tracebacks.votes import Vote

_SHAPE_VOTES: dict[str, tuple[tuple[str, Confidence], ...]] = {
    "empty": (("fsdp1-slice", "possible"),),  # the rules tell placeholders from slices
    "flattened": (("flattened", "likely"), ("fsdp1-slice", "possible")),
    "packed-column": (("packed-as-dense", "likely"), ("quant-set", "possible")),
    "unpacked": (("quant-config-stale", "possible"), ("dims-wrong", "possible"), ("quant-set", "possible")),
    "int4-packed": (("quant-config-missing", "possible"), ("quant-layout", "possible"), ("dims-wrong", "possible")),
    "transposed": (("transposed", "likely"), ("dims-wrong", "possible")),
    "row-shard": (("rank-shard", "possible"), ("dims-wrong", "possible")),
    "head-shard": (("head-row-shard", "likely"), ("rank-shard", "possible"), ("vocab-rows", "possible")),
    "draft-vocab": (("draft-vocab", "likely"), ("vocab-rows", "possible")),
    "small-head": (("head-replaced", "likely"), ("vocab-rows", "possible")),
    "vocab": (("vocab-rows", "likely"), ("vocab-tokenizer", "possible")),
    "kv-heads": (("dims-wrong", "likely"), ("rank-shard", "possible")),
    "lora-rank": (("adapter-base", "likely"),),
    "group-rows": (("group-size", "likely"), ("quant-layout", "possible")),
    "squeezed": (("conv-layout", "likely"),),
    "expert-short": (("expert-gap", "likely"),),
    "slice": (("fsdp1-slice", "likely"), ("flattened", "possible")),
    "scaled": (("dims-wrong", "likely"), ("shape-mismatch", "possible")),
    "one-dimension": (("dims-wrong", "likely"), ("shape-mismatch", "possible")),
    "other": (("dims-wrong", "possible"), ("shape-mismatch", "possible")),
}


# Differences that one tensor alone does not prove: others have to show the same.
_VAGUE = ("empty", "scaled", "one-dimension", "other")


def judge_sizes(symptom: Symptom) -> Iterator[Vote]:
    """Votes of all size differences, the most frequent kind first."""
    kinds = Counter((judge(m.stored, m.wanted, m.name), _adapter_kind(m.name)) for m in symptom.mismatched)
    names = {(judge(m.stored, m.wanted, m.name), _adapter_kind(m.name)): m.name for m in reversed(symptom.mismatched)}
    if len(kinds) > 1:
        others = [kind for kind in kinds if kind[0] not in ("other", "scaled")]
        kinds = Counter({kind: kinds[kind] for kind in others}) or kinds
    for (kind, adapter), _ in kinds.most_common():
        name = names[kind, adapter]
        lone = kind in _VAGUE and not adapter and len(symptom.mismatched) == 1
        for key, confidence in _of_adapter(kind, adapter) or _of_model(kind, name):
            yield key, "possible" if lone else confidence, name, kind


def _adapter_kind(name: str) -> str:
    if SAVED in name or (".".join(PEFT) in name and re.search(ends.VOCABULARY, name)):
        return "vocab"
    return "lora" if "lora_" in name else ""


def _of_adapter(kind: str, adapter: str) -> tuple[tuple[str, Confidence], ...]:
    if not adapter:
        return ()
    if kind == "empty":
        return (("adapter-empty", "likely"), ("zero3-placeholders", "possible"))
    if adapter == "vocab":
        return (("adapter-vocab", "likely"),)
    return (("adapter-base", "likely"), ("rank-shard", "possible"))


def _of_model(kind: str, name: str) -> tuple[tuple[str, Confidence], ...]:
    if kind in ("flattened", "slice") and re.search(ends.HEAD, name):
        return (("head-flattened", "likely" if kind == "flattened" else "possible"), ("fsdp1-slice", "possible"))
    if kind in ("flattened", "slice") and re.search(ends.EMBEDDING, name):
        if kind == "slice":
            return (("fsdp1-slice", "likely"), ("embedding-flattened", "possible"))
        return (("embedding-flattened", "likely"), ("fsdp1-slice", "possible"))
    if kind == "unpacked" and re.search(ends.VOCABULARY, name):  # no model is a fraction as wide as its embedding
        return (("quant-config-stale", "likely"), ("quant-set", "possible"))
    if kind == "transposed" and "experts" in name:
        return (("expert-layout", "likely"), ("transposed", "possible"))
    if kind == "transposed" and re.search(ends.HEAD, name):
        return (("head-transposed", "likely"),)
    if kind == "row-shard" and ("norm" in name or name == "size mismatch"):
        return (("rank-shard", "likely"), ("dims-wrong", "possible"))
    if re.search(ends.TASK_HEAD, name) and kind not in ("empty", "slice"):
        return (("dims-wrong", "likely"), ("task-head-missing", "possible"))
    return _SHAPE_VOTES[kind]
