"""LP413 foreign-dialect: the names are those of another tool or family."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import get, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import about, in_files
from loadproof.core.tensors import Family, Shape
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.class_fit import fitting
from loadproof.rules.evidence.dialects import Dialect, dialect_of
from loadproof.rules.evidence.own_code import needs_code
from loadproof.rules.evidence.shards import listed
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """A dialect by its signs, if the reader did not load it; else projections fused or split as another family does."""
    if (case.expectation.families and not case.outcome.rows) or needs_code(case):
        return
    templates = [family.template for family in case.manifest.families]
    found = dialect_of(templates)
    if found is not None:
        yield _finding(case, *found)
        return
    yield from _fused(case)


def _finding(case: Case, dialect: Dialect, shown: list[str]) -> Found:
    by_template = {family.template: family for family in case.manifest.families}
    evidence = [_line(by_template[name]) for name in shown]
    if isinstance(get(case.config, ("quantization",)), dict):
        text = "quantization without quant_method: transformers cannot tell the method"
        evidence.append(Evidence(where(case.config, ("quantization",)), text))
    headline = f"the names are those of {dialect.name}, not of {case.expectation.reader or 'transformers'}"
    fix = Fix(dialect.fix, "manual")
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=case.outcome.rows,
        fixes=(fix,),
    )


def _line(family: Family) -> Evidence:
    shape = "" if family.shape is None else f" {family.dtype} {list(family.shape)}"
    return Evidence(in_files(family.files[:2], 2), f"{show(family.template, family.axes)}{shape}")


def _fused(case: Case) -> Iterable[Found]:
    """In one module, missing and unexpected matrices of the same width and the same number of rows in sum."""
    groups: dict[str, tuple[list[Row], list[Row]]] = {}
    for row in of_kind(case.outcome.rows, "missing", "unexpected"):
        module = row.template.rpartition(".")[0].rpartition(".")[0]
        groups.setdefault(module, ([], []))[row.kind == "unexpected"].append(row)
    found = [(m, *rows) for m, rows in groups.items() if m and _same_sum(*rows)]
    if not found or fitting(case, case.manifest.families):
        return  # where a class fits to the last name, it is that one (LP406)
    module, missing, unexpected = found[0]
    names = [_leaf(row) for row in unexpected], [_leaf(row) for row in missing]
    headline = (
        f"{listed(names[0])} stored where {case.expectation.class_name} has {listed(names[1])}: another family's layout"
    )
    evidence = [Evidence(about("stored"), _shown(row, row.found)) for row in unexpected[:2]]
    evidence += [Evidence(about(case.expectation.class_name), _shown(row, row.expected)) for row in missing[:4]]
    rows = tuple(row for _, missing, unexpected in found for row in (*missing, *unexpected))
    notes = (Note("note", "rows may be interleaved per head; cutting or joining them plainly can be wrong"),)
    fix = Fix("set the model_type that stores its projections so, or convert with the family's own script", "manual")
    yield Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=(fix,),
        notes=notes,
    )


def _same_sum(missing: list[Row], unexpected: list[Row]) -> bool:
    have = [row.found for row in unexpected if row.found is not None and len(row.found) == 2]
    want = [row.expected for row in missing if row.expected is not None and len(row.expected) == 2]
    if (
        not have
        or not want
        or len(have) == len(want)
        or {row.axes for row in missing} != {row.axes for row in unexpected}
    ):
        return False
    same_width = len({shape[1] for shape in (*have, *want)}) == 1
    return same_width and sum(shape[0] for shape in have) == sum(shape[0] for shape in want)


def _leaf(row: Row) -> str:
    return (row.stored or row.template).split(".")[-2]


def _shown(row: Row, shape: Shape | None) -> str:
    name = row.stored or row.template
    return f"{show(name, row.axes) if name.count('{}') == len(row.axes) else name} {list(shape or ())}"


RULE = Rule(
    code="LP413",
    slug="foreign-dialect",
    group="names",
    title="The names are those of another tool or family",
    check=check,
)
