"""What the size differences of a load report say: a rank's share, packed weights, one config field, another base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from loadproof.core.severity import Confidence
from loadproof.core.symptom import Symptom
from loadproof.lexicon import ends
from loadproof.lexicon.adapters import PEFT, SAVED
from loadproof.tracebacks.knowledge.sizes import sizes
from loadproof.tracebacks.shapes import judge
from loadproof.tracebacks.votes import Vote


def judge_sizes(symptom: Symptom) -> Iterator[Vote]:
    """Votes of all size differences, the most frequent kind first."""
    kinds = Counter((judge(m.stored, m.wanted, m.name), _adapter_kind(m.name)) for m in symptom.mismatched)
    names = {(judge(m.stored, m.wanted, m.name), _adapter_kind(m.name)): m.name for m in reversed(symptom.mismatched)}
    if len(kinds) > 1:
        others = [kind for kind in kinds if kind[0] not in ("other", "scaled")]
        kinds = Counter({kind: kinds[kind] for kind in others}) or kinds
    for (kind, adapter), _ in kinds.most_common():
        name = names[kind, adapter]
        lone = kind in sizes().vague and not adapter and len(symptom.mismatched) == 1
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
    return tuple((ranked.cause, ranked.confidence) for ranked in sizes().kinds[kind])
