"""LP601 quant-config-missing: tensors are quantized but config.json does not declare it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.boxes import intersect, merge, subtract_all
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Axes
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import proved_config
from loadproof.rules.evidence.quantized_layout import Layout, declared, is_companion, sidecar, stored_layout


def check(case: Case) -> Iterable[Found]:
    """A quantized layout under its own names while config.json declares none."""
    if case.config.path is None or declared(case) is not None or sidecar(case) is not None:
        return
    layout = stored_layout(case)
    if layout is None or layout.method.startswith("bitsandbytes") or not layout.companions:
        return
    rows = stored_parts(belonging(case.outcome.rows, layout), layout)
    first = layout.companions[0]
    headline = f"{layout.modules:,} weights are stored as {layout.method} and config.json has no quantization_config"
    shown = [*layout.packed[:1], first]
    evidence = [
        Evidence(in_files(f.files[:2], 2), f"{show(f.template, f.axes)} {f.dtype or ''} {list(f.shape or ())}")
        for f in shown
    ]
    evidence.append(Evidence(Place(case.config.path), "no quantization_config"))
    notes = (Note("note", "without the declaration the stored numbers are taken as they are, unscaled"),)
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=_fixes(layout),
        notes=notes,
    )


def stored_parts(rows: Iterable[Row], layout: Layout) -> list[Row]:
    """Of missing weights only those whose packed form is stored."""
    forms = sorted((family.template, family.axes) for family in layout.companions)
    return [part for row in rows for part in (_stored(row, forms) if row.kind == "missing" else [row])]


def _stored(row: Row, forms: list[tuple[str, Axes]]) -> list[Row]:
    module, boxes = row.template.removesuffix(".weight"), list[Axes]()
    for mark in "._":
        place = bisect_left(forms, (module + mark, ()))
        while place < len(forms) and forms[place][0].startswith(module + mark):
            axes = forms[place][1]
            common = intersect(row.axes, axes) if len(axes) == len(row.axes) else None
            boxes += subtract_all([common], boxes) if common is not None else []
            place += 1
    return [replace(row, axes=box) for box in merge(boxes)]


def belonging(rows: Iterable[Row], layout: Layout) -> list[Row]:
    """Companions left over, packed weights misread or of another shape, and the dense weights that a packed form stands for."""
    packed = {family.template for family in layout.packed}
    companions = sorted(family.template for family in layout.companions)
    return [row for row in rows if is_companion(row) or _belongs(row, packed, companions)]


def _belongs(row: Row, packed: set[str], companions: list[str]) -> bool:
    if (row.stored or row.template) in packed:
        return True
    module = row.template.removesuffix(".weight")
    return row.kind == "missing" and any(_starts(companions, module + mark) for mark in "._")


def _starts(names: list[str], begin: str) -> bool:
    """Whether one of the sorted names begins so."""
    place = bisect_left(names, begin)
    return place < len(names) and names[place].startswith(begin)


def _fixes(layout: Layout) -> tuple[Fix, ...]:
    value = proved_config(layout)
    if value is None:
        return (Fix(f"restore the quantization_config ({layout.method}) of the original config.json", "manual"),)
    edit = SetJson("config.json", ("quantization_config",), value)
    return (Fix("write the quantization_config that the shapes prove", "lossless", (edit,)),)


RULE = Rule(
    code="LP601",
    slug="quant-config-missing",
    group="quantization",
    title="Tensors are quantized but config.json does not declare it",
    check=check,
)
