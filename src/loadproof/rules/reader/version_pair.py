"""LP706 version-pair: this release of the reader refuses what the library behind it writes; the file is fine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.config import where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in
from loadproof.rules.evidence.stated_numbers import schemed
from loadproof.rules.evidence.survey import Declaration, survey
from loadproof.rules.evidence.wording import plural

_METHOD = "compressed-tensors"


def check(case: Case) -> Iterable[Found]:
    """Zero points of compressed-tensors: stored packed along the output, expected as one I8 a group.

    Measured with transformers 5.24.0 and compressed-tensors 0.20.1; releases 4 unpack them in their own way.
    """
    declaration = survey(case).declaration
    if declaration is None or declaration.method != _METHOD or case.expectation.version.startswith("4."):
        return
    modules = [module for module, scheme in schemed(survey(case)) if _is_asymmetric(module, scheme.symmetric)]
    if modules:
        yield _finding(case, declaration, modules)


def _is_asymmetric(module: Module, symmetric: object) -> bool:
    match = module.match
    stated = getattr(symmetric, "value", True)
    return (
        match is not None and match.layout.name == "pack-quantized" and not stated and match.layout.zero in match.parts
    )


def _finding(case: Case, declaration: Declaration, modules: Sequence[Module]) -> Found:
    zero = modules[0].match.layout.zero if modules[0].match is not None else ""
    rows = tuple(r for r in rows_in(case.outcome.rows, modules) if r.kind in ("mismatched", "conversion"))
    judged = case.outcome.inconclusive is None
    reader = f"{case.expectation.reader} {case.expectation.version}"
    headline = f"{plural(number_of_modules(modules), 'module')} with packed zero points: {reader} refuses them with "
    headline += "compressed-tensors 0.20.1"
    evidence = (
        Evidence(where(case.config, (*declaration.path, "quant_method")), f'quant_method = "{_METHOD}"'),
        *(line(module, zero) for module in modules[:2]),
    )
    fix = Fix(
        "load it with vLLM, or with a pair of releases that agree; quantize again with symmetric weights", "manual"
    )
    return Found(
        severity="error" if rows else "info",
        confidence="certain" if rows else "likely" if not judged else "possible",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(fix,),
        notes=(Note("note", "the file is as its format says; nothing in it has to be changed"),),
    )


RULE = Rule(
    code="LP706",
    slug="version-pair",
    group="reader",
    title="This release refuses what that release of the quantizer wrote",
    check=check,
)
