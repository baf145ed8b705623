"""LP505 dtype-unlike-config: the weights are stored in another float type than the config names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from loadproof.config.lines import where
from loadproof.config.spellings import spelled
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import config_file
from loadproof.rules.evidence.wording import elements

TYPES = {
    "float32": "F32", "float": "F32", "float16": "F16", "half": "F16", "bfloat16": "BF16", "float64": "F64",
    "double": "F64",
}  # fmt: skip
NAMES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64"}


def check(case: Case) -> Iterable[Found]:
    key = spelled(case.config.raw, "dtype")
    stated = case.config.raw.get(key) if key else None
    wanted = TYPES.get(str(stated).removeprefix("torch."))
    held = _elements_by_type(case)
    total = sum(held.values())
    if key is None or wanted is None or not total or "quantization_config" in case.config.raw:
        return
    main, number = held.most_common(1)[0]
    if main == wanted or main not in NAMES or number < 0.9 * total:
        return
    headline = f"the weights are stored as {NAMES[main]}, config.json says {stated}"
    evidence = (
        Evidence(where(case.config, (key,)), f"{key} = {stated}"),
        Evidence(about("tensors"), f"{number / total:.0%} of {total:,} numbers are {main}"),
    )
    fix = Fix(f"set {key} to {NAMES[main]}", "lossless", (SetJson(config_file(case), (key,), NAMES[main]),))
    note = Note("outcome", f"the reader casts to {stated} while loading, silently")
    yield Found(
        severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,), notes=(note,)
    )


def _elements_by_type(case: Case) -> Counter[str]:
    held: Counter[str] = Counter()
    for family in case.manifest.families:
        if family.dtype is not None and family.shape is not None:
            held[family.dtype] += elements(family.shape) * count(family.axes)
    return held


RULE = Rule(
    code="LP505",
    slug="dtype-unlike-config",
    group="shapes",
    title="Weights are stored in a different float type than the config says",
    check=check,
)
