"""The layer strip: config.json against the tensors, with the layers that differ marked."""

from __future__ import annotations

from loadproof.core.config import LayerPlan
from loadproof.core.families import show_axis
from loadproof.core.layer_letters import legend, letter
from loadproof.core.results import PlanReport
from loadproof.report.escape import clean, guard_line
from loadproof.report.style import Line, Span, paint
from loadproof.report.words import plural

WIDTH = 80  # layers in one row of the strip


def render_plan(report: PlanReport, *, color: bool = False, **_: object) -> str:
    """Both plans as strips of at most 80 layers a row, a mark under each layer that differs, and the legend."""
    config, tensors, differs = report.config, report.tensors, report.differs
    if config is None and tensors is None and not report.inconclusive:
        return "neither config.json nor the tensors tell a layer plan\n"
    depth = _depth(report)
    lines: list[Line] = []
    for start in range(0, depth, WIDTH):
        stop = min(start + WIDTH, depth)
        lines.append((("dim", f"layer    {_ruler(start, stop)}"),))
        lines += [_strip("config", config, start, stop, differs), _strip("tensors", tensors, start, stop, differs)]
        if marked := [layer for layer in differs if start <= layer < stop]:
            marks = "".join("^" if layer in marked else " " for layer in range(start, stop))
            lines.append((("error", f"         {marks}"),))
    lines += (
        [(), (("dim", legend(word for plan in (config, tensors) if plan for word in plan.words)),)] if depth else []
    )
    lines += [_source("config", config), _source("tensors", tensors), (("bold", "result   "), *answer(report))]
    lines += [(("bold", "hint     "), ("command", clean(report.hint)))] if report.hint and report.inconclusive else []
    return "".join(guard_line(paint(line, color)) + "\n" for line in lines)


def _depth(report: PlanReport) -> int:
    return max((len(plan.words) for plan in (report.config, report.tensors) if plan is not None), default=0)


def _ruler(start: int, stop: int) -> str:
    """``0         10        20``."""
    return "".join(f"{layer:<10}" for layer in range(start, stop, 10)).rstrip()


def _strip(name: str, plan: LayerPlan | None, start: int, stop: int, differs: tuple[int, ...]) -> Line:
    head: Span = ("bold", f"{name:<9}")
    if plan is None:
        return (head, ("dim", "says nothing"))
    spans: list[Span] = [
        ("differs" if layer in differs else "", letter(plan.words[layer]))
        for layer in range(start, min(stop, len(plan.words)))
    ]
    return (head, *spans)


def _source(name: str, plan: LayerPlan | None) -> Line:
    if plan is None:
        return (("bold", f"{name:<9}"), ("dim", "no layer plan"))
    if name == "tensors":
        kinds = sorted({mixer for mixer in plan.mixers if mixer})
        text = f"{len(plan.words)} layers under {plan.field}" + (f": {', '.join(kinds)}" if kinds else "")
    else:
        origin = f"  {plan.where}" if plan.where.file else ""
        text = f"{len(plan.words)} layers from {plan.field}{'' if plan.given else ' (a default of the class)'}{origin}"
    return (("bold", f"{name:<9}"), ("", clean(text)))


def answer(report: PlanReport) -> Line:
    """Whether the plans agree, in one line."""
    if report.inconclusive:
        return (("warning", "inconclusive"), ("", f": {clean(report.inconclusive)}"))
    config, tensors, differs = report.config, report.tensors, report.differs
    if config is None or tensors is None:
        return (("warning", "nothing to compare"),)
    if differs:
        verb = "differs" if len(differs) == 1 else "differ"
        said = f"{len(differs)} of {plural(_depth(report), 'layer')} {verb}"
        return (("error", said), ("", f": {show_axis(differs)}"))
    if len(config.words) != len(tensors.words):
        return (("error", f"config plans {len(config.words)} layers, the checkpoint holds {len(tensors.words)}"),)
    return (("good", "the plans agree"),)
