"""LP606 quant-group-size: the declared group or block size is not that of the stored scales."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.config.quantization import TAKE_DENSE
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import block_of, group_of, whole
from loadproof.rules.evidence.quantized_modules import (
    line,
    number_of_modules,
    rows_in,
    scale_part,
    severity_of,
    weight_part,
)
from loadproof.rules.evidence.scale_shapes import is_of_config
from loadproof.rules.evidence.stated_numbers import Wrong, schemed, wrong_blocks, wrong_groups
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import json_text, plural


def check(case: Case) -> Iterable[Found]:
    """The number of scales along a row, or their grid, against the size that config.json states."""
    found = survey(case)
    for wrong in wrong_groups(found):
        if not is_of_config(wrong, found):
            continue  # a few scales differ from all others: LP605
        yield _finding(case, wrong, "group_size", group_of(_like(case, wrong)))
    for wrong in wrong_blocks(found):
        if not is_of_config(wrong, found):
            continue
        yield _finding(case, wrong, "block size", _block(case, wrong))


def _like(case: Case, wrong: Wrong) -> list[Module]:
    layout = wrong.modules[0].match.layout if wrong.modules[0].match else None
    return whole((module for module, _ in schemed(survey(case))), layout) if layout is not None else []


def _block(case: Case, wrong: Wrong) -> list[int] | None:
    modules = _like(case, wrong)
    return block_of(modules) if all(m.match is not None and "O/n" in m.match.sizes for m in modules) else None


def _finding(case: Case, wrong: Wrong, what: str, proved: int | list[int] | None) -> Found:
    path = (*_root(case), *wrong.number.path)
    stated, number = json_text(wrong.number.value), plural(number_of_modules(wrong.modules), "module")
    rows = rows_in(case.outcome.rows, wrong.modules)
    headline = f"config.json says {what} {stated}; the scales of {number} say otherwise"
    if proved is not None:
        headline = f"config.json says {what} {stated}; the scales of {number} prove {json_text(proved)}"
    evidence = [Evidence(where(case.config, path), f"{path[-1]} = {stated}")]
    evidence += [line(module, part) for module in wrong.modules[:2] for part in _shown(module)]
    return Found(
        severity="warning" if _is_dequantized(case) and not rows else severity_of(case, rows),
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=_fixes(case, path, wrong, proved),
    )


def _shown(module: Module) -> list[str]:
    """The packed weight and its scales."""
    return [weight_part(module), *(part for part in (scale_part(module),) if part is not None)]


def _root(case: Case) -> tuple[str | int, ...]:
    declaration = survey(case).declaration
    return declaration.path if declaration is not None else ()


def _is_dequantized(case: Case) -> bool:
    """FP8 goes by the stored grid where it is dequantized (on a CPU)."""
    declaration = survey(case).declaration
    return declaration is not None and declaration.method in TAKE_DENSE


def _fixes(case: Case, path: tuple[str | int, ...], wrong: Wrong, proved: int | list[int] | None) -> tuple[Fix, ...]:
    if proved is None or not wrong.whole:
        return (Fix("take config.json from the export that wrote these scales", "manual"),)
    edit = SetJson(case.config.path or "config.json", path, proved)
    return (Fix(f"set {path[-1]} to {json_text(proved)}", "lossless", (edit,)),)


RULE = Rule(
    code="LP606",
    slug="quant-group-size",
    group="quantization",
    title="The declared group or block size is not that of the stored scales",
    check=check,
)
