"""LP608 quant-method: the config names a quantization method that this release does not know."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import where
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import proved_config
from loadproof.rules.evidence.quantized_layout import Layout, declared, is_companion, packed_families, stored_layout
from loadproof.rules.evidence.wording import plural
from loadproof.rules.quantization.quant_config_missing import belonging


def check(case: Case) -> Iterable[Found]:
    """The release skips the declaration: packed weights are taken as they are, dense ones load as if it were not there."""
    word, known = skipped_method(case), case.expectation.quantizers
    if word is None or known is None:
        return
    path, _ = declared(case) or ((), {})
    packed, layout = packed_families(case), stored_layout(case)
    reader = f"{case.expectation.reader} {case.expectation.version}"
    place = Evidence(where(case.config, (*path, "quant_method")), f'quant_method = "{word}"')
    source = Evidence(Place("quantizers/auto.py"), f"known: {', '.join(sorted(known))}", "source")
    if not packed:
        headline = f"{reader} does not know the quantization method {word!r} and skips it; every stored tensor is dense"
        yield Found(severity="info", confidence="certain", headline=headline, evidence=(place, source))
        return
    number = sum(count(f.axes) for f in (layout.packed if layout and layout.packed else packed))
    taken = "is taken as it is" if number == 1 else "are taken as they are"
    headline = f"{reader} does not know the quantization method {word!r}: {plural(number, 'packed weight')} {taken}"
    of_layout = set(belonging(case.outcome.rows, layout)) if layout is not None else set[Row]()
    rows = [row for row in case.outcome.rows if _is_packed_row(row) or row in of_layout]
    evidence = (place, *map(_line, packed[:2]), source)
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=_fixes(path, layout, known),
    )


def skipped_method(case: Case) -> str | None:
    """The declared method, where this release is known not to act upon it."""
    stated, known = declared(case), case.expectation.quantizers
    word = method_of(stated[1]) if stated is not None else None
    return word if isinstance(word, str) and known is not None and word not in known else None


def _is_packed_row(row: Row) -> bool:
    return row.kind == "misread" or is_packed(row.dtype) or is_companion(row)


def _line(family: Family) -> Evidence:
    return Evidence(
        in_files(family.files[:2], 2), f"{show(family.template, family.axes)} {family.dtype} {list(family.shape or ())}"
    )


def _fixes(path: JsonPath, layout: Layout | None, known: tuple[str, ...]) -> tuple[Fix, ...]:
    value = proved_config(layout) if layout is not None else None
    manual = Fix(
        "load it with an engine that knows the method, or export it again with a method of this release", "manual"
    )
    if value is None or method_of(value) not in known:
        return (manual,)
    edit = SetJson("config.json", path, value)
    return Fix("write the quantization_config that the shapes prove", "lossless", (edit,)), manual


RULE = Rule(
    code="LP608",
    slug="quant-method",
    group="quantization",
    title="The quantization method is not known to this release",
    check=check,
)
