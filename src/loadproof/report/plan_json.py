"""Both layer plans as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from typing import Any

from loadproof.core.config import LayerPlan
from loadproof.core.layer_letters import letters
from loadproof.core.results import PlanReport
from loadproof.report.as_json import head, rendered, text


def render_plan_json(report: PlanReport, **_: object) -> str:
    """Words, letters and origin of each plan, and the layers on which they contradict each other."""
    return rendered(
        {
            **head(),
            "kind": report.kind,
            "location": text(report.location),
            "same": report.same,
            "inconclusive": None if report.inconclusive is None else text(report.inconclusive),
            "differs": list(report.differs),
            "config": _plan(report.config),
            "tensors": _plan(report.tensors),
        }
    )


def _plan(plan: LayerPlan | None) -> dict[str, Any] | None:
    if plan is None:
        return None
    return {
        "letters": letters(plan),
        "words": [None if word is None else text(word) for word in plan.words],
        "field": text(plan.field),
        "given": plan.given,
        "file": text(plan.where.file) or None,
        "line": plan.where.line,
        "mixers": [None if mixer is None else text(mixer) for mixer in plan.mixers],
    }
