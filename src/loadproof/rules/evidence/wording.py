"""How rules word places, shapes and lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from loadproof.core.families import count, show, show_axis
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, in_files
from loadproof.core.tensors import Axes, Shape


def shape_text(shape: Shape | None) -> str:
    """``[160, 48]``."""
    return "[?]" if shape is None else f"[{', '.join(map(str, shape))}]"


def elements(shape: Shape | None) -> int:
    """How many numbers the shape holds, 0 when it is not known."""
    return 0 if shape is None else prod(shape)


def json_text(value: Any, limit: int = 60) -> str:
    """A JSON value on one line, cut at `limit` characters."""
    text = json.dumps(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def number_of(axes: Axes, noun: str = "tensor") -> str:
    """``1 tensor``, ``28 tensors``."""
    number = count(axes)
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def layers_text(layers: Sequence[int]) -> str:
    """``layer 20``, ``layers 0-2,5``."""
    return f"layer{'' if len(layers) == 1 else 's'} {show_axis(tuple(layers))}"


def row_evidence(rows: Iterable[Row], shown: int = 4) -> tuple[Evidence, ...]:
    """One line per row: the stored name where there is one, and what is wrong with it; the rest counted."""
    rows = list(rows)
    lines = [Evidence(in_files(row.files), row_text(row)) for row in rows[:shown]]
    if len(rows) > shown:
        rest = sum(count(row.axes) for row in rows[shown:])
        lines.append(Evidence(NOWHERE, f"and {plural(rest, 'more name')}", "note"))
    return tuple(lines)


def row_text(row: Row) -> str:
    """``lm_head.weight [7680], expected [160, 48]``."""
    name = show(row.template if row.stored is None or row.stored.count("{}") != len(row.axes) else row.stored, row.axes)
    times = f" ({number_of(row.axes)})" if count(row.axes) > 1 else ""
    if row.kind == "mismatched":
        return f"{name} {shape_text(row.found)}, expected {shape_text(row.expected)}{times}"
    if row.kind == "missing":
        return f"{name} is not stored{times}"
    return f"{name} {row.text or shape_text(row.found)}{times}"
