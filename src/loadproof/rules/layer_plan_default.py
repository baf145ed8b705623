"""LP305 layer-plan-default: no plan is stated, and the default of the class is not what the file holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.layer_plan_mismatch import differing_layers, plan_finding
from loadproof.types import Case, Finding


def check(case: Case) -> Iterable[Finding]:
    found = differing_layers(case)
    if found is None or found[0].given:
        return
    finding = plan_finding(case, "LP305", "layer-plan-default", found[:3], found[3])
    if finding is not None:
        yield finding


DOCS = RuleDocs(
    finds="A hybrid model whose config states no layer plan, while the file does not follow the default of the class.",
    why=(
        "The field was lost: a converter dropped it, a release writes it under another name, or the config was "
        "written by "
        "hand. The class then fills in its own plan (an interval of four, all linear, all attention, ...) silently."
    ),
    errors=(
        "transformers: a LOAD REPORT with MISSING and UNEXPECTED names of several layers; no exception",
        "SGLang: AttributeError: ... object has no attribute 'full_attention_interval'",
    ),
    example=(
        "Qwen3-Next without `layer_types`, full attention stored every third layer: the class assumes every fourth."
    ),
    fix="Config only: the plan that the tensors show is written out.",
    harmless="When the default happens to be the plan of the file; then nothing is reported.",
)
RULE = Rule("LP305", "layer-plan-default", "No layer plan is stated and the default does not fit", check, DOCS)
