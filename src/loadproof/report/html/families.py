"""The tensors of a checkpoint by family, and what becomes of each: the data of the map and of its table."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from msgspec import Struct

from loadproof.core.boxes import subtract_all
from loadproof.core.case import Report
from loadproof.core.families import count, show
from loadproof.core.outcome import Row
from loadproof.core.tensors import Axes, Family, Shape
from loadproof.report.words import KINDS

MOST_BOXES = 2_000  # rows of one family that are cut out of it
ARRIVES = "ok"
SIGNS = {"missing": "−", "unexpected": "+", "mismatched": "≠", "conversion": "×", "misread": "!", ARRIVES: ""}
WORDS = KINDS | {ARRIVES: "as expected"}


class Part(Struct, frozen=True):
    """Tensors of one family with one fate. `elements` counts numbers; 1 where no shape is known."""

    name: str
    fate: str
    names: int
    elements: int
    shape: str = ""
    dtype: str = ""

    @property
    def label(self) -> str:
        """What a tile has room for: the name below its layer, and how many there are."""
        short = _below_its_layer(self.name).removesuffix(".weight")
        return f"{short} ×{self.names:,}" if self.names > 1 else short

    @property
    def text(self) -> str:
        """The whole entry as one line."""
        number = f"{self.names:,} tensors" if self.names > 1 else "1 tensor"
        return ", ".join(part for part in (self.name, WORDS[self.fate], number, self.shape, self.dtype) if part)


def _below_its_layer(name: str) -> str:
    """``mlp.up_proj.weight`` of ``model.layers.{0-3}.mlp.up_proj.weight``, and of one layer alike."""
    above, index, below = name.rpartition("}.")
    if index and "{" in above:
        return below
    _, layers, below = name.rpartition("layers.")
    return below if layers and below[:1].isdigit() else name


def parts_of(report: Report) -> list[Part]:
    """What is wrong first, then by size."""
    rows = report.case.outcome.rows
    found = [*map(_of_row, rows), *_arriving(report.case.manifest.families, rows)]
    return sorted(found, key=lambda part: (part.fate == ARRIVES, -part.elements, part.name))


def _of_row(row: Row) -> Part:
    shape = row.found or row.expected
    names = count(row.axes)
    return Part(show(row.template, row.axes), row.kind, names, names * _numbers(shape), _shapes(row), row.dtype or "")


def _shapes(row: Row) -> str:
    if row.expected is not None and row.found is not None and row.expected != row.found:
        return f"{list(row.found)}, expected {list(row.expected)}"
    shape = row.found or row.expected
    return "" if shape is None else str(list(shape))


def _arriving(families: tuple[Family, ...], rows: tuple[Row, ...]) -> Iterator[Part]:
    """The stored families without what the rows say of them."""
    taken: dict[str, list[Axes]] = {}
    for row in rows:
        name = row.template if row.kind == "unexpected" and row.stored is None else row.stored
        if name is not None:
            taken.setdefault(name, []).append(row.axes if row.stored_axes is None else row.stored_axes)
    for family in families:
        boxes = _rest(family, taken.get(family.template, []))
        names = sum(map(count, boxes))
        if names:
            name = show(family.template, boxes[0] if len(boxes) == 1 else family.axes)
            shape = "" if family.shape is None else str(list(family.shape))
            yield Part(name, ARRIVES, names, names * _numbers(family.shape), shape, family.dtype or "")


def _rest(family: Family, taken: list[Axes]) -> list[Axes]:
    same = [axes for axes in taken if len(axes) == len(family.axes)]
    if not same or len(same) > MOST_BOXES:
        return [family.axes]
    return subtract_all([family.axes], same)


def _numbers(shape: Shape | None) -> int:
    return max(1, prod(shape)) if shape is not None else 1
