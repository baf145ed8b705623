"""LP608 quant-method: the method that the config names is unknown to this release, or not the one of the tensors."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.lexicon.companions import dense_name
from loadproof.lexicon.layouts import Layout, layouts
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import declaring
from loadproof.rules.evidence.quantized_layout import declared, is_companion, packed_families, skipped_method
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in, severity_of, weight_part
from loadproof.rules.evidence.renamed_companions import renamings
from loadproof.rules.evidence.survey import Survey, survey
from loadproof.rules.evidence.wording import plural, shape_text

_MANUAL = Fix(
    "load it with an engine that knows the method, or export it again with a method of this release", "manual"
)


def check(case: Case) -> Iterable[Found]:
    """The release skips the declaration, or its method finds nothing of what it reads."""
    word = skipped_method(case)
    if word is not None:
        yield _unknown(case, word)
    else:
        yield from _another(case, survey(case))


def _unknown(case: Case, word: str) -> Found:
    """Packed weights are taken as they are, dense ones load as if the declaration were not there."""
    path, _ = declared(case) or ((), {})
    packed, found = packed_families(case), survey(case)
    known = sorted(case.expectation.quantizers or ())
    reader = f"{case.expectation.reader} {case.expectation.version}"
    place = Evidence(where(case.config, (*path, "quant_method")), f'quant_method = "{word}"')
    source = Evidence(Place("quantizers/auto.py"), f"known: {', '.join(known)}", "source")
    if not packed:
        headline = f"{reader} does not know the quantization method {word!r} and skips it; every stored tensor is dense"
        return Found(severity="info", confidence="certain", headline=headline, evidence=(place, source))
    number = number_of_modules(found.census.packed) or sum(count(family.axes) for family in packed)
    taken = "is taken as it is" if number == 1 else "are taken as they are"
    headline = f"{reader} does not know the quantization method {word!r}: {plural(number, 'packed weight')} {taken}"
    rows = [row for row in case.outcome.rows if _is_packed_row(row)]
    rows += rows_in((row for row in case.outcome.rows if not _is_packed_row(row)), found.census.packed)
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=(place, *map(_line, packed[:2]), source),
        rows=tuple(rows),
        fixes=(*_writing(case, path, found), _MANUAL),
    )


def _is_packed_row(row: Row) -> bool:
    return row.kind == "misread" or is_packed(row.dtype) or is_companion(row)


def _line(family: Family) -> Evidence:
    text = f"{show(family.template, family.axes)} {family.dtype} {shape_text(family.shape)}"
    return Evidence(in_files(family.files[:2], 2), text)


def _another(case: Case, found: Survey) -> Iterable[Found]:
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
        fixes=_writing(case, declaration.path, found) or (_MANUAL,),
    )


def _usual(modules: list[Module]) -> Layout:
    return max((m for m in modules if m.match), key=lambda m: m.number).match.layout  # type: ignore[union-attr]


def _is_of_integers(layout: Layout) -> bool:
    return layout.packed == "qweight"


def _writing(case: Case, path: JsonPath, found: Survey) -> tuple[Fix, ...]:
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


RULE = Rule(
    code="LP608",
    slug="quant-method",
    group="quantization",
    title="The quantization method is unknown to this release, or not that of the tensors",
    check=check,
)
