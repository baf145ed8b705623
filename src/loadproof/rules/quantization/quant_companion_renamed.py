"""LP609 quant-companion-renamed: scales under a name that the declared method does not read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.core.tensors import Family
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_modules import number_of_modules, rows_in, severity_of
from loadproof.rules.evidence.renamed_companions import Renaming, renamings
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import plural, shape_text


def check(case: Case) -> Iterable[Found]:
    """A part that the method wants is not there, and one other tensor of the module has its dtype and shape."""
    found, declaration = renamings(case), survey(case).declaration
    if not found or declaration is None:
        return
    modules = [module for renaming in found for module in renaming.modules]
    rows = rows_in(case.outcome.rows, modules)
    pairs = {(renaming.stored, renaming.wanted) for renaming in found}
    method = declaration.method
    names = ", ".join(f"{stored} where {method} reads {wanted or 'the weight'}" for stored, wanted in sorted(pairs))
    number = plural(number_of_modules(renaming_modules(found)), "module")
    headline = f"{number} {'has' if number.startswith('1 ') else 'have'} {names}"
    evidence = tuple(_line(case, one.modules[0], one.stored) for one in found[:4])
    yield Found(
        severity=severity_of(case, rows),
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(_fix(found),),
    )


def renaming_modules(found: Sequence[Renaming]) -> list[Module]:
    """Each module once, however many of its parts are renamed."""
    return list({id(module): module for one in found for module in one.modules}.values())


def _line(case: Case, module: Module, part: str) -> Evidence:
    name = module.name_of(part)
    family: Family = next(one for one in case.manifest.families if one.template == name)
    text = f"{show(name, module.axes)} {family.dtype} {shape_text(family.shape)}"
    return Evidence(in_files(family.files[:2], 2), text)


def _fix(found: Sequence[Renaming]) -> Fix:
    pairs = tuple((m.name_of(one.stored), m.name_of(one.wanted), m.axes) for one in found for m in one.modules)
    words = ", ".join(sorted({f"{one.stored} to {one.wanted}" for one in found}))
    return Fix(f"rename {words} in the header", "lossless", (RenameTensors(pairs),))


RULE = Rule(
    code="LP609",
    slug="quant-companion-renamed",
    group="quantization",
    title="Scales are stored under a name that the declared method does not read",
    check=check,
)
