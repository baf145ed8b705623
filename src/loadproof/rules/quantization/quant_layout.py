"""LP605 quant-layout: packed tensors under names that this reader does not unpack."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import about, in_files
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_layout import declared
from loadproof.rules.evidence.wording import plural
from loadproof.rules.quantization.quant_method import skipped_method
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """Parameters that stay random while packed tensors named after them are stored and nobody takes them."""
    stated = declared(case)
    if stated is None or skipped_method(case):
        return
    missing = [(row, forms) for row in of_kind(case.outcome.rows, "missing") if (forms := _forms(case, row))]
    if not missing:
        return
    number = sum(count(row.axes) for row, _ in missing)
    first, forms = missing[0]
    suffixes = ", ".join(sorted(form.template.removeprefix(first.template) for form in forms))
    method = method_of(stated[1])
    headline = f"{plural(number, 'parameter')} of {case.expectation.class_name} are stored packed as {suffixes}"
    headline += f", a form that the {method} reader does not unpack"
    evidence = [Evidence(where(case.config, (*stated[0], "quant_method")), f'quant_method = "{method}"')]
    evidence += [_line(form) for form in forms[:3]]
    evidence.append(
        Evidence(about(case.expectation.class_name), f"{show(first.template, first.axes)} {list(first.expected or ())}")
    )
    rows = [row for row, _ in missing]
    rows += [row for row in of_kind(case.outcome.rows, "unexpected") if _extends(row, rows)]
    fix = Fix("load it with the engine it was made for, or export it again with one tensor per expert", "manual")
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=(fix,),
    )


def _forms(case: Case, row: Row) -> list[Family]:
    """Stored tensors whose names are that of the parameter and a suffix."""
    forms = [family for family in case.manifest.families if family.template.startswith(f"{row.template}_")]
    return forms if any(is_packed(form.dtype) for form in forms) else []


def _extends(row: Row, missing: list[Row]) -> bool:
    return any((row.stored or row.template).startswith(f"{parameter.template}_") for parameter in missing)


def _line(family: Family) -> Evidence:
    return Evidence(
        in_files(family.files[:2], 2), f"{show(family.template, family.axes)} {family.dtype} {list(family.shape or ())}"
    )


RULE = Rule(
    code="LP605",
    slug="quant-layout",
    group="quantization",
    title="Packed tensors under names that the reader does not unpack",
    check=check,
)
