"""The tensors have the layout of another method than the one that is declared and known."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.lexicon.companions import dense_name
from loadproof.lexicon.layouts import Layout, layouts
from loadproof.quantization.census import Module
from loadproof.rules.base import Found
from loadproof.rules.evidence.quantization_config import declaring
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in, severity_of, weight_part
from loadproof.rules.evidence.renamed_companions import renamings
from loadproof.rules.evidence.survey import Survey
from loadproof.rules.evidence.wording import plural

OTHER_ENGINE = Fix(
    "load it with an engine that knows the method, or export it again with a method of this release", "manual"
)


def of_another_method(case: Case, found: Survey) -> Iterable[Found]:
    """The tensors have the layout of another method."""
    declaration = found.declaration
    if declaration is None or not declaration.layouts or case.manifest.names_only:
        return
    strange = [m for m in found.census.packed if m.match and m.match.layout.name not in declaration.layouts]
    if not strange or renamings(case) or 2 * number_of_modules(strange) <= number_of_modules(found.census.packed):
        return
    layout = _usual(strange)
    if _is_of_integers(layout) and any(_is_of_integers(layouts()[name]) for name in declaration.layouts):
        return  # GPTQ and AWQ: one family of names, LP605 tells which way they are packed
    number = number_of_modules(strange)
    promised = [row for row in case.outcome.rows if row.kind == "missing" and dense_name(row.template) is not None]
    rows = (*rows_in(case.outcome.rows, strange), *rows_in(promised, found.census.dense))
    place = where(case.config, (*declaration.path, "quant_method"))
    evidence = [Evidence(place, f'quant_method = "{declaration.entry.get("quant_method")}"')]
    evidence += [line(module, weight_part(module)) for module in strange[:2]]
    headline = f"config.json says {declaration.method}, and {plural(number, 'weight')} are stored as {layout.title}"
    yield Found(
        severity=severity_of(case, rows),
        confidence="certain",
        headline=headline.replace("1 weight are", "1 weight is"),
        evidence=tuple(evidence),
        rows=rows,
        fixes=writing(case, declaration.path, found) or (OTHER_ENGINE,),
    )


def _usual(modules: list[Module]) -> Layout:
    return max((m for m in modules if m.match), key=lambda m: m.number).match.layout  # type: ignore[union-attr]


def _is_of_integers(layout: Layout) -> bool:
    return layout.packed == "qweight"


def writing(case: Case, path: JsonPath, found: Survey) -> tuple[Fix, ...]:
    """The declaration that the tensors prove, where this release knows its method."""
    usual = found.census.of_layout().most_common(1)
    if not usual:
        return ()
    layout = layouts()[usual[0][0]]
    known = case.expectation.quantizers
    method = method_of(layout.config) if layout.config else None
    if method is None or (known is not None and method not in known):
        return ()
    return tuple(fix for fix in declaring(case, path, layout) if fix.edits)
