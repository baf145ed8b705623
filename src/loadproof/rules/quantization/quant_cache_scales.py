"""LP611 quant-cache-scales: scales of a quantized KV cache, which transformers does not load."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
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


RULE = Rule(
    code="LP611",
    slug="quant-cache-scales",
    group="quantization",
    title="Scales of a quantized KV cache are not loaded",
    check=check,
)
