"""LP608 quant-method: the config names a quantization method that this release does not know."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.core.case import Case
from loadproof.core.dtypes import is_packed
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.other_method import OTHER_ENGINE, writing
from loadproof.rules.evidence.quantized_layout import declared, is_companion, packed_families, skipped_method
from loadproof.rules.evidence.quantized_modules import number_of_modules, rows_in
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import plural, shape_text


def check(case: Case) -> Iterable[Found]:
    """The release skips the declaration."""
    word = skipped_method(case)
    if word is not None:
        yield _unknown(case, word)


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
        fixes=(*writing(case, path, found), OTHER_ENGINE),
    )


def _is_packed_row(row: Row) -> bool:
    return row.kind == "misread" or is_packed(row.dtype) or is_companion(row)


def _line(family: Family) -> Evidence:
    text = f"{show(family.template, family.axes)} {family.dtype} {shape_text(family.shape)}"
    return Evidence(in_files(family.files[:2], 2), text)


RULE = Rule(
    code="LP608",
    slug="quant-method",
    group="quantization",
    title="The quantization method is not known to this release",
    check=check,
)
