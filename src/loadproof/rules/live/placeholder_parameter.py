"""LP904: a live parameter is a placeholder without values."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from loadproof.core.case import Case
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.live.live_findings import describe, faults, finding


def check(case: Case) -> Iterator[Found]:
    live = case.live
    others = live.placeholders if live else 0
    for fault in faults(case, RULE.code):
        found = finding(fault, f"{describe(fault.parameter)}: a placeholder without values")
        if others > 1:
            count = Evidence(where=NOWHERE, text=f"{others} parameters of this model have no elements", label="note")
            found = structs.replace(found, evidence=(*found.evidence, count))
        yield found


RULE = Rule(
    code="LP904",
    slug="placeholder-parameter",
    title="A parameter in use is a placeholder",
    check=check,
    docs=RuleDocs(
        finds="A head or embedding without elements (DeepSpeed ZeRO-3 releases parameters to shape `[0]` and keeps the "
        "true shape in `ds_shape`) or on the meta device.",
        why="The values live elsewhere. Under the engine's hooks this is in order; outside of them (reference or "
        "teacher model, unwrapped `generate`) the first lookup raises. The file on disk is usually fine.",
        errors=(
            "torch under DeepSpeed ZeRO-3: RuntimeError: 'weight' must be 2-D",
            "torch, [0, hidden]: index_select(): self indexing axis dim should be positive",
            "torch, meta device: NotImplementedError: Cannot copy out of meta tensor; no data!",
        ),
        example="model.embed_tokens.weight (input embedding): expected [64, 32], found [0] float32; ds_shape [64, 32]",
        fix="Call through the engine, gather with `deepspeed.zero.GatheredParameters`, or initialise this model with "
        "DeepSpeed as well. Never reshape a placeholder.",
        harmless="Parameters that the engine's own hooks gather are not reported.",
    ),
)
