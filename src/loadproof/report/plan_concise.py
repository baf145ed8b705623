"""Both layer plans on one line."""

from __future__ import annotations

from loadproof.core.config import LayerPlan
from loadproof.core.layer_letters import letters
from loadproof.core.results import PlanReport
from loadproof.report.escape import clean, guard_line
from loadproof.report.plan_text import answer


def render_plan_line(report: PlanReport, **_: object) -> str:
    """``checkpoint: 1 of 4 layers differs: 2; config LLFF, tensors LLLF``."""
    strips = f"config {_strip(report.config)}, tensors {_strip(report.tensors)}"
    said = "".join(text for _, text in answer(report))
    return guard_line(f"{clean(report.location)}: {said}; {strips}") + "\n"


def _strip(plan: LayerPlan | None) -> str:
    return letters(plan) if plan is not None else "says nothing"
