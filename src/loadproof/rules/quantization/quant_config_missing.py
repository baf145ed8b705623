"""LP601 quant-config-missing: tensors are quantized but config.json does not declare it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import Place
from loadproof.lexicon.layouts import layouts
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import declaring
from loadproof.rules.evidence.quantized_layout import declared, sidecar
from loadproof.rules.evidence.quantized_modules import has_own_names, line, number_of_modules, rows_in, weight_part
from loadproof.rules.evidence.survey import survey

_NOTE = Note("note", "without the declaration the stored numbers are taken as they are, unscaled")


def check(case: Case) -> Iterable[Found]:
    """A quantized layout under its own names while config.json declares none."""
    if case.config.path is None or declared(case) is not None or sidecar(case) is not None:
        return
    census = survey(case).census
    modules = [module for module in census.packed if has_own_names(module)]
    if not modules:
        return
    usual, _ = census.of_layout().most_common(1)[0]
    layout = layouts()[usual]
    number = number_of_modules(modules)
    headline = f"{number:,} weights are stored as {layout.title} and config.json has no quantization_config"
    first = next((m for m in modules if m.match and m.match.layout.name == usual), modules[0])
    shown = [weight_part(first), *(part for part in first.parts if part not in (weight_part(first), "bias"))]
    evidence = [line(first, part) for part in shown[:2]]
    evidence.append(Evidence(Place(case.config.path), "no quantization_config"))
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows_in(case.outcome.rows, modules),
        fixes=declaring(case, ("quantization_config",), layout),
        notes=(_NOTE,),
    )


RULE = Rule(
    code="LP601",
    slug="quant-config-missing",
    group="quantization",
    title="Tensors are quantized but config.json does not declare it",
    check=check,
)
