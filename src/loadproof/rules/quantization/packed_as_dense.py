"""LP607 packed-as-dense: packed numbers under the names of dense weights."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import proved_config
from loadproof.rules.evidence.quantized_layout import (
    Layout,
    companions_of,
    declared,
    is_companion,
    sidecar,
    stored_layout,
)


def check(case: Case) -> Iterable[Found]:
    """`.weight` in a packed dtype while config.json promises dense weights (4-bit and 8-bit leftovers of a merge)."""
    if declared(case) is not None or sidecar(case) is not None or case.manifest.names_only:
        return
    packed = [f for f in case.manifest.families if f.template.endswith(".weight") and f.dtype in ("U8", "I8")]
    companions = companions_of(case)
    mlx = any(f.template.endswith(".biases") for f in case.manifest.families)
    if not packed or mlx:
        return
    layout = stored_layout(case)
    kind = layout.method if layout is not None else "packed integers without their scales"
    number = sum(count(family.axes) for family in packed)
    templates = {family.template for family in packed}
    rows = [row for row in case.outcome.rows if (row.stored or row.template) in templates or is_companion(row)]
    headline = f"{number:,} weights are still packed ({kind}); config.json promises dense ones"
    evidence = [_line(case, family) for family in packed[:2]]
    evidence += [
        Evidence(in_files(f.files[:2], 2), f"{show(f.template, f.axes)} {f.dtype} {list(f.shape or ())}")
        for f in companions[:1]
    ]
    evidence.append(Evidence(Place(case.config.path or "config.json"), "no quantization_config"))
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=_fixes(layout),
    )


def _line(case: Case, family: Family) -> Evidence:
    wanted = next((r.expected for r in case.outcome.rows if r.stored == family.template and r.expected), None)
    arithmetic = ""
    if wanted is not None and family.shape is not None and 2 * prod(family.shape) == prod(wanted):
        arithmetic = f": {prod(family.shape):,} bytes = {wanted[0]} x {wanted[1]} / 2, two 4-bit numbers each"
    return Evidence(
        in_files(family.files[:2], 2),
        f"{show(family.template, family.axes)} {family.dtype} {list(family.shape or ())}{arithmetic}",
    )


def _fixes(layout: Layout | None) -> tuple[Fix, ...]:
    value = proved_config(layout) if layout is not None else None
    again = Fix("merge again from the 16-bit base model; unpacking does not give the original bits back", "manual")
    if value is None:
        return (again,)
    edit = SetJson("config.json", ("quantization_config",), value)
    return Fix("declare what is stored: write the quantization_config", "lossless", (edit,)), again


RULE = Rule(
    code="LP607",
    slug="packed-as-dense",
    group="quantization",
    title="Packed numbers under the names of dense weights",
    check=check,
)
