"""LP607 packed-as-dense: packed numbers under the names of dense weights."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import declaring
from loadproof.rules.evidence.quantized_layout import declared, is_companion, sidecar
from loadproof.rules.evidence.quantized_modules import has_own_names, line, rows_in
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import shape_text


def check(case: Case) -> Iterable[Found]:
    """`.weight` in a packed dtype while config.json promises dense weights (4-bit and 8-bit leftovers of a merge)."""
    if declared(case) is not None or sidecar(case) is not None or case.manifest.names_only:
        return
    named = {module.name_of("weight") for module in survey(case).census.packed if has_own_names(module)}
    weights = [f for f in case.manifest.families if f.template.endswith(".weight") and f.dtype in ("U8", "I8")]
    packed = [family for family in weights if family.template not in named]
    mlx = any(f.template.endswith(".biases") for f in case.manifest.families)
    if not packed or mlx:
        return
    modules = survey(case).census.packed
    whole = [module for module in modules if module.match is not None and module.match.whole]
    kind = _kind(whole)
    number = sum(count(family.axes) for family in packed)
    templates = {family.template for family in packed}
    rows = [row for row in case.outcome.rows if (row.stored or row.template) in templates or is_companion(row)]
    evidence = [_line(case, family) for family in packed[:2]]
    evidence += [line(module, next(part for part in module.parts if part != "weight")) for module in whole[:1]]
    evidence.append(Evidence(Place(case.config.path or "config.json"), "no quantization_config"))
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{number:,} weights are still packed ({kind}); config.json promises dense ones",
        evidence=tuple(evidence),
        rows=(*rows, *rows_in((row for row in case.outcome.rows if row not in rows), modules)),
        fixes=_fixes(case, whole),
    )


def _kind(whole: list[Module]) -> str:
    match = whole[0].match if whole else None
    return match.layout.name if match is not None else "packed integers without their scales"


def _line(case: Case, family: Family) -> Evidence:
    wanted = next((r.expected for r in case.outcome.rows if r.stored == family.template and r.expected), None)
    arithmetic = ""
    if wanted is not None and family.shape is not None and 2 * prod(family.shape) == prod(wanted):
        arithmetic = f": {prod(family.shape):,} bytes = {wanted[0]} x {wanted[1]} / 2, two 4-bit numbers each"
    return Evidence(
        in_files(family.files[:2], 2),
        f"{show(family.template, family.axes)} {family.dtype} {shape_text(family.shape)}{arithmetic}",
    )


def _fixes(case: Case, whole: list[Module]) -> tuple[Fix, ...]:
    again = Fix("merge again from the 16-bit base model; unpacking does not give the original bits back", "manual")
    match = whole[0].match if whole else None
    if match is None:
        return (again,)
    fixes = declaring(case, ("quantization_config",), match.layout)
    return (*(fix for fix in fixes if fix.edits), again)


RULE = Rule(
    code="LP607",
    slug="packed-as-dense",
    group="quantization",
    title="Packed numbers under the names of dense weights",
    check=check,
)
