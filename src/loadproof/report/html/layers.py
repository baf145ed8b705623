"""The layer plan as two strips, one cell a layer: config.json above, the tensors below."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.config import LayerPlan
from loadproof.core.layer_letters import letter, meaning
from loadproof.report.html.tags import Markup, element, joined
from loadproof.report.words import plural

MOST = 1_000  # layers that are drawn
_COLOURS = 8  # kinds that get a colour of their own


def layers_of(report: Report) -> Markup:
    """The section, empty where neither side tells a plan."""
    plans = [(name, plan) for name, plan in _plans(report) if plan is not None]
    if not plans:
        return Markup("")
    depth = max(len(plan.words) for _, plan in plans)
    differs = report.case.plan_differs
    colours = _colours([plan for _, plan in plans])
    strips = [_strip(name, plan, depth, differs, colours) for name, plan in plans]
    said = _said(report, depth, differs)
    return element(
        "section",
        element("h3", "Layers"),
        element("p", said),
        element("div", strips, class_="strips", role="img", aria_label=f"Layer plans. {said}", tabindex="0"),
        _legend(colours),
        _table(report, differs),
        element("p", f"Only the first {MOST:,} layers are drawn.", class_="quiet") if depth > MOST else "",
    )


def _plans(report: Report) -> tuple[tuple[str, LayerPlan | None], ...]:
    return (("config", report.case.config_plan), ("tensors", report.case.tensor_plan))


def _word(plan: LayerPlan | None, layer: int) -> str | None:
    return plan.words[layer] if plan is not None and layer < len(plan.words) else None


def _said(report: Report, depth: int, differs: tuple[int, ...]) -> str:
    config, tensors = report.case.config_plan, report.case.tensor_plan
    if config is None or tensors is None:
        return f"{depth:,} layers; only {'the tensors tell' if config is None else 'config.json tells'} a plan."
    if len(config.words) != len(tensors.words):
        return f"config.json plans {len(config.words):,} layers, the checkpoint holds {len(tensors.words):,}."
    if not differs:
        return f"{depth:,} layers; config.json and the tensors agree."
    first = differs[0]
    one, other = meaning(config.words[first]), meaning(tensors.words[first])
    more = f" and {len(differs) - 1:,} more" if len(differs) > 1 else ""
    return f"{depth:,} layers; layer {first}{more}: config.json says {one}, the tensors are {other}."


def _colours(plans: list[LayerPlan]) -> dict[str, str]:
    """Letter -> what it means, in the order in which they occur."""
    return {letter(word): meaning(word) for plan in plans for word in plan.words[:MOST]}


def _strip(name: str, plan: LayerPlan, depth: int, differs: tuple[int, ...], colours: dict[str, str]) -> Markup:
    order = {sign: number % _COLOURS for number, sign in enumerate(colours)}
    marked = set(differs)
    cells = [
        element(
            "span",
            letter(plan.words[layer]),
            class_=f"cell k{order[letter(plan.words[layer])]}" + (" differs" if layer in marked else ""),
            title=f"layer {layer}: {meaning(plan.words[layer])}",
        )
        for layer in range(min(len(plan.words), depth, MOST))
    ]
    return element("div", element("span", name, class_="name"), element("span", cells, class_="cells"), class_="strip")


def _legend(colours: dict[str, str]) -> Markup:
    items = [
        element("li", element("span", sign, class_=f"cell k{number % _COLOURS}", aria_hidden="true"), f" {text}")
        for number, (sign, text) in enumerate(colours.items())
    ]
    return element("ul", items, class_="legend")


def _table(report: Report, differs: tuple[int, ...]) -> Markup:
    """The layers that differ in words, for those who do not see the strips."""
    if not differs:
        return Markup("")
    config, tensors = report.case.config_plan, report.case.tensor_plan
    rows = [
        element(
            "tr", *(element("td", text) for text in (str(n), meaning(_word(config, n)), meaning(_word(tensors, n))))
        )
        for n in differs[:100]
    ]
    head = element("tr", *(element("th", text, scope="col") for text in ("layer", "config.json", "tensors")))
    table = element("table", element("thead", head), element("tbody", rows))
    return element(
        "details", element("summary", f"What differs, {plural(len(differs), 'layer')} in words"), joined(table)
    )
