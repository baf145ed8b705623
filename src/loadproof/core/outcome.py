"""What a reader would report, row by row."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loadproof.core.adapter import AdapterLoad
from loadproof.core.coverage import Skip
from loadproof.core.tensors import Axes, Family, Shape

Verdict = Literal["loads", "loads-wrong", "fails", "inconclusive"]
RowKind = Literal["missing", "unexpected", "mismatched", "conversion", "misread"]


class Row(Struct, frozen=True):
    """One family of the reader's report. `template` is the reader's own name, `stored` the name in the file.

    `misread` rows stand in no report of the library: packed or scaled numbers are cast to a float parameter as they are.
    """

    kind: RowKind
    template: str
    axes: Axes
    expected: Shape | None = None
    found: Shape | None = None
    stored: str | None = None  # template in the file, None for missing rows
    files: tuple[str, ...] = ()
    dtype: str | None = None
    text: str = ""  # for conversion errors: the reason
    stored_axes: Axes | None = None  # axes of `stored`; they differ from `axes` where a rule eats or renumbers an index


class Assignment(Struct, frozen=True):
    """Stored tensors that do reach parameters: template in the file -> template in the model."""

    stored: str
    stored_axes: Axes
    target: str
    target_axes: Axes
    converted: bool = False  # went through a converter
    dtype: str | None = None
    shape: Shape | None = None  # stored shape


class Outcome(Struct, frozen=True):
    """What the reader would report. Rows are reported ones: after ties and ignore patterns."""

    rows: tuple[Row, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    raises: bool = False
    error: str | None = None  # the predicted exception text
    ignored: tuple[Row, ...] = ()  # missing/unexpected rows swallowed by an ignore pattern
    dropped: tuple[Row, ...] = ()  # file names that lost a collision and vanish unreported
    tied: tuple[tuple[str, str], ...] = ()  # ties that fill a parameter: (filled, from)
    skipped: tuple[Skip, ...] = ()
    quantized: tuple[Family, ...] = ()  # stored families left unjudged because a quantizer owns them
    inconclusive: str | None = None
    # Where machines differ: (device, the outcome there); the rest of this outcome is that of the worst of them.
    devices: tuple[tuple[str, Outcome], ...] = ()
    adapter: AdapterLoad | None = None  # of an adapter: what else is known of the load
