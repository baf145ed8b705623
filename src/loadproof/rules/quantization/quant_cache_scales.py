"""LP611 quant-cache-scales: scales of a quantized KV cache, which transformers does not load."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.wording import plural
from loadproof.rules.rows import of_kind

# `k_scale` and `v_scale` of compressed-tensors, `k_proj.k_scale` of ModelOpt and AutoFP8, `kv_scale` of old vLLM exports.
_CACHE = re.compile(r"(attn|attention|k_proj|v_proj|kv_cache)\.(([kqv]|kv|prob)_scale|[kv]_zero_point)\Z")


def check(case: Case) -> Iterable[Found]:
    """Left over, and no fault: the cache is kept in the model's dtype instead."""
    rows = [row for row in of_kind(case.outcome.rows, "unexpected") if _CACHE.search(row.stored or row.template)]
    if not rows:
        return
    number = sum(count(row.axes) for row in rows)
    reader = f"{case.expectation.reader} {case.expectation.version}"
    headline = f"{plural(number, 'scale')} of a quantized KV cache {'is' if number == 1 else 'are'} stored; {reader} "
    headline += "keeps its cache in the dtype of the model and leaves them out"
    evidence = tuple(Evidence(in_files(row.files[:2], 2), show(row.template, row.axes)) for row in rows[:3])
    yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows))


DOCS = RuleDocs(
    finds="`k_scale` and `v_scale` (also `q_scale`, `kv_scale`) of the attention beside weights of any kind.",
    why=(
        "An export with `kv_cache_scheme` stores how to quantize keys and values while generating. They belong to the "
        "cache and not to the weights: transformers reports them as unexpected and loads everything else."
    ),
    errors=("transformers: k_scale and v_scale UNEXPECTED, no exception",),
    example="`model.layers.3.self_attn.k_scale` F32 [1].",
    fix="Nothing. vLLM and SGLang read them where they support an FP8 cache.",
    harmless="Always, for loading.",
)
RULE = Rule("LP611", "quant-cache-scales", "Scales of a quantized KV cache are not loaded", check, DOCS)
