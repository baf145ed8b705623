"""Two checkpoints side by side, for people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from loadproof.core.config import dotted
from loadproof.core.families import count, show
from loadproof.core.layer_letters import letters
from loadproof.core.results import DiffReport, FieldChange, Fit, Renaming, Role, TensorChange
from loadproof.core.tensors import Axes
from loadproof.report.escape import clean, guard_line
from loadproof.report.style import Line, fold_line, paint
from loadproof.report.words import plural, tally_text

SHOWN = 10  # differences of one kind shown without -v


def render_diff(
    report: DiffReport, *, verbose: bool = False, color: bool = False, width: int | None = None, **_: object
) -> str:
    """The table of fits, then every kind of difference; each line ended by a newline, folded to `width` columns."""
    lines: list[Line] = [
        (("bold", "A  "), ("", clean(report.first.case.inventory.location)), ("dim", f"  {_size(report, 0)}")),
        (("bold", "B  "), ("", clean(report.second.case.inventory.location)), ("dim", f"  {_size(report, 1)}")),
        (),
        *_fit_lines(report.fits),
        *_plan_lines(report),
        *(line for label, texts in differences(report) for line in _cut(label, texts, verbose)),
        _result(report),
    ]
    folded = [piece for line in lines for piece in fold_line(line, width, 9)]
    return "".join(guard_line(paint(line, color)) + "\n" for line in folded)


def differences(report: DiffReport) -> list[tuple[str, list[str]]]:
    """Every kind of difference, and a line for each of it."""
    return [
        ("config", [_field(change) for change in report.config]),
        ("renamed", [_renaming(one) for one in report.renamed]),
        ("roles", [_role(one) for one in report.roles]),
        ("only A", [_family(item) for item in report.only_first]),
        ("only B", [_family(item) for item in report.only_second]),
        ("differs", [_tensor(change) for change in report.changed]),
    ]


def _size(report: DiffReport, side: int) -> str:
    manifest = (report.first, report.second)[side].case.manifest
    return f"{plural(manifest.tensors, 'tensor')} in {plural(len(manifest.files), 'file')}"


def _fit_lines(fits: Iterable[Fit]) -> Iterable[Line]:
    """One line for each pair of config and weights: which config fits which weights."""
    for fit in fits:
        pair = f"config {'AB'[fit.config]} with weights {'AB'[fit.weights]}   "
        if fit.fits is None:
            yield (("bold", pair), ("warning", "cannot say"), ("", f": {clean(fit.outcome.inconclusive or '')}"))
        elif fit.fits:
            yield (("bold", pair), ("good", "fits"))
        else:
            yield (("bold", pair), ("error", "does not fit"), ("", f": {tally_text(fit.outcome.rows) or 'it raises'}"))
    yield ()


def _plan_lines(report: DiffReport) -> Iterable[Line]:
    for name in ("config_plan", "tensor_plan"):
        plans = [getattr(side.case, name) for side in (report.first, report.second)]
        strips = [letters(plan) if plan else "" for plan in plans]
        if strips[0] != strips[1]:
            label = "plan of config" if name == "config_plan" else "plan of tensors"
            yield (("bold", f"{label:<16}"), ("", f"A {strips[0] or 'none'}"))
            yield (("", f"{'':<16}B {strips[1] or 'none'}"),)


def _cut(label: str, texts: list[str], verbose: bool) -> Iterable[Line]:
    shown = texts if verbose else texts[:SHOWN]
    for position, text in enumerate(shown):
        yield (("bold", f"{label if position == 0 else '':<9}"), ("", clean(text)))
    if hidden := len(texts) - len(shown):
        yield (("dim", f"{'':<9}... and {hidden:,} more (-v shows all)"),)


def _field(change: FieldChange) -> str:
    return f"{dotted(change.path)}: {_value(change.first)} -> {_value(change.second)}"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _family(item: tuple[str, Axes]) -> str:
    number = count(item[1])
    return show(*item) + (f"  ({number:,} names)" if number > 1 else "")


def _renaming(one: Renaming) -> str:
    return f"{plural(one.names, 'tensor')}: '{one.first}' in A is '{one.second}' in B"


def _role(one: Role) -> str:
    return f"{one.name}: {plural(one.first, 'tensor')} in A, {one.second:,} in B"


def _tensor(change: TensorChange) -> str:
    number = count(change.axes)
    text = show(change.template, change.axes) + (f"  ({number:,} names)" if number > 1 else "")
    (first_shape, first_type), (second_shape, second_type) = change.first, change.second
    if first_shape != second_shape:
        text += f"  {list(first_shape or ())} -> {list(second_shape or ())}"
    return text + (f"  {first_type} -> {second_type}" if first_type != second_type else "")


def _result(report: DiffReport) -> Line:
    if report.same:
        return (("bold", "result   "), ("good", "no difference"), ("dim", " (the values of the weights were not read)"))
    parts = [
        (len(report.config), "config field"),
        (sum(one.names for one in report.renamed), "name renamed"),
        (_names(report.only_first), "name only in A"),
        (_names(report.only_second), "name only in B"),
        (sum(count(change.axes) for change in report.changed), "tensor of another shape or type"),
    ]
    texts = [_counted(number, what) for number, what in parts if number]
    return (("bold", "result   "), ("", ", ".join(texts)))


def _names(items: Iterable[tuple[str, Axes]]) -> int:
    return sum(count(axes) for _, axes in items)


def _counted(number: int, what: str) -> str:
    first, space, rest = what.partition(" ")
    return f"{number:,} {first}{'s' if number > 1 and first != 'config' else ''}{space}{rest}" + (
        "s" if number > 1 and first == "config" else ""
    )
