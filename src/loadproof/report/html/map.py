"""The map of the tensors: a tile for each family, as large as it is, marked where something is wrong with it."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.report.html.families import ARRIVES, SIGNS, WORDS, Part, parts_of
from loadproof.report.html.squares import treemap
from loadproof.report.html.tags import Markup, element

MOST_TILES = 120
MOST_ROWS = 300
_ROOM = 3.5  # percent of the map that a tile with a label has at least, both ways
_LEAST, _LEAST_WRONG = 0.002, 0.008  # share of the area that a small tile gets


def tensors_of(report: Report, place: str, most_rows: int = MOST_ROWS) -> Markup:
    """The section, empty where no tensor is known. `place` begins the ids of its parts."""
    parts = parts_of(report)
    if not parts:
        return Markup("")
    shown = _shown(parts)
    hint = "The area is the number of elements; small families are enlarged. Arrow keys go from tile to tile."
    return element(
        "section",
        element("h3", "Tensors"),
        _legend(parts),
        element("div", _tiles(shown, place), class_="map", role="list", aria_label="Families of tensors by size"),
        element("p", hint, class_="quiet", id=f"{place}-said", aria_live="polite"),
        _table(parts, most_rows),
    )


def _shown(parts: list[Part]) -> list[Part]:
    """The largest and what is wrong; the rest is one tile."""
    if len(parts) <= MOST_TILES:
        return parts
    rest = parts[MOST_TILES - 1 :]
    fate = "missing" if any(part.fate != ARRIVES for part in rest) else ARRIVES
    names, elements = sum(part.names for part in rest), sum(part.elements for part in rest)
    return [*parts[: MOST_TILES - 1], Part(f"{len(rest):,} more families", fate, names, elements)]


def _tiles(parts: list[Part], place: str) -> list[Markup]:
    total = sum(part.elements for part in parts)
    weighed = sorted(((_weight(part, total), part) for part in parts), key=lambda item: -item[0])
    rectangles = treemap([weight for weight, _ in weighed], 100.0, 50.0)
    return [
        element(
            "span",
            element("b", SIGNS[part.fate], aria_hidden="true") if SIGNS[part.fate] else "",
            part.label if r.width > _ROOM and r.height * 2 > _ROOM else "",
            class_=f"tile {part.fate}",
            style=f"left:{r.left:.3f}%;top:{r.top * 2:.3f}%;width:{r.width:.3f}%;height:{r.height * 2:.3f}%",
            title=part.text,
            role="listitem",
            aria_label=part.text,
            tabindex="0" if number == 0 else "-1",
            data_said=f"{place}-said",
        )
        for number, ((_, part), r) in enumerate(zip(weighed, rectangles, strict=True))
    ]


def _weight(part: Part, total: int) -> float:
    least = _LEAST if part.fate == ARRIVES else _LEAST_WRONG
    return max(part.elements / total, least)


def _legend(parts: list[Part]) -> Markup:
    counted = {fate: sum(part.names for part in parts if part.fate == fate) for fate in WORDS}
    items = [
        element(
            "li", element("span", SIGNS[fate], class_=f"key {fate}", aria_hidden="true"), f" {number:,} {WORDS[fate]}"
        )
        for fate, number in counted.items()
        if number
    ]
    return element("ul", items, class_="legend")


def _table(parts: list[Part], most_rows: int) -> Markup:
    head = element("tr", *(element("th", text, scope="col") for text in ("", "family", "tensors", "shape", "type")))
    rows = [
        element(
            "tr",
            element("td", WORDS[part.fate], class_=part.fate),
            element("td", element("code", part.name)),
            element("td", f"{part.names:,}", class_="number"),
            element("td", part.shape),
            element("td", part.dtype),
        )
        for part in parts[:most_rows]
    ]
    more = (
        element("p", f"... and {len(parts) - most_rows:,} more families", class_="quiet")
        if len(parts) > most_rows
        else ""
    )
    table = element(
        "div", element("table", element("thead", head), element("tbody", rows)), class_="wide", tabindex="0"
    )
    return element("details", element("summary", f"All {len(parts):,} families as a table"), table, more)
