"""LP612 quant-scheme: bits, symmetry or static activations that the stored tensors contradict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.config import where
from loadproof.config.quantization_scheme import Number
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count
from loadproof.core.findings import Evidence
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in, severity_of, weight_part
from loadproof.rules.evidence.stated_numbers import Schemed, numbers_in, schemed, wrong_bits
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import json_text, plural, row_evidence
from loadproof.rules.rows import of_kind

_NUMERICS = "activations are scaled anew at every step in place of the calibrated numbers"


def check(case: Case) -> Iterable[Found]:
    """What the shapes and the presence of companions say against the numbers of the declaration."""
    found = survey(case)
    for wrong in wrong_bits(found):
        proved = numbers_in(wrong.modules, "b")
        fixes = _setting(case, wrong.number, proved[0]) if len(proved) == 1 and wrong.whole else ()
        text = f"{json_text(wrong.number.value)} bits, the tensors of {_count(wrong.modules)} hold {proved[0]}"
        yield _finding(case, wrong.number, wrong.modules, text, fixes)
    pairs = schemed(found)
    yield from _symmetry(case, pairs)
    yield from _activations(case, pairs)
    yield from _left_out(case, [module for module, _ in pairs])


def _left_out(case: Case, modules: Sequence[Module]) -> Iterable[Found]:
    """Scales of activations for which the reader has no place, of weights that it does read: experts, mostly."""
    names = {module.name_of(part) for module in modules for part in _activation_parts(module)}
    rows = tuple(row for row in of_kind(case.outcome.rows, "unexpected") if (row.stored or row.template) in names)
    if rows:
        reader = f"{case.expectation.reader} {case.expectation.version}"
        number = plural(sum(count(row.axes) for row in rows), "scale")
        headline = f"{number} of activations have no place in the modules that {reader} builds, and are left out"
        yield Found(severity="info", confidence="certain", headline=headline, evidence=row_evidence(rows, 2), rows=rows)


def _activation_parts(module: Module) -> tuple[str, ...]:
    return module.match.layout.activations if module.match is not None else ()


def _symmetry(case: Case, pairs: Sequence[Schemed]) -> Iterable[Found]:
    """Zero points are stored, or not, against `symmetric`. That GPTQ and AWQ always store them says nothing."""
    for number, modules in _by_number(pairs, "symmetric").items():
        able = [m for m in modules if m.match is not None and m.match.layout.zero]
        lying = [
            m for m in able if m.match is not None and (m.match.layout.zero in m.match.parts) == bool(number.value)
        ]
        if not lying or len(lying) != len(able):
            continue  # mixed: LP604 says which modules lack theirs
        if number.value:
            text, fixes = f"symmetric weights, and zero points of {_count(lying)} are stored", _asymmetric(number)
        else:
            text = f"asymmetric weights, and {_count(lying)} have no zero points"
            fixes = _setting(case, number, True)
        yield _finding(case, number, lying, text, fixes)


def _asymmetric(number: Number) -> tuple[Fix, ...]:
    """Not offered as a repair: what compressed-tensors and transformers make of zero points depends on both releases."""
    return (Fix(f"set {number.path[-1]} to false, where your release reads asymmetric weights", "manual"),)


def _activations(case: Case, pairs: Sequence[Schemed]) -> Iterable[Found]:
    for number, modules in _by_number(pairs, "static").items():
        able = [m for m in modules if m.match is not None and m.match.layout.activations]
        stored = any(m.match and set(m.match.layout.activations) & set(m.match.parts) for m in able)
        if number.value and able and not stored:
            text = f"static activations, and {_count(modules)} have no scale for them"
            yield _finding(case, number, modules, text, _dynamic(case, number), mild=True)


def _dynamic(case: Case, number: Number) -> tuple[Fix, ...]:
    if number.path[-1] != "activation_scheme":
        return (Fix("set dynamic to true in input_activations, if the scales cannot be had", "manual"),)
    edit = SetJson(case.config.path or "config.json", (*_root(case), *number.path), "dynamic")
    return (Fix("set activation_scheme to dynamic", "lossy", (edit,), _NUMERICS),)


def _by_number(pairs: Sequence[Schemed], field: str) -> dict[Number, list[Module]]:
    found: dict[str, tuple[Number, list[Module]]] = {}
    for module, scheme in pairs:
        number = getattr(scheme, field)
        if number is not None:
            found.setdefault(str(number.path), (number, []))[1].append(module)
    return dict(found.values())


def _setting(case: Case, number: Number, value: object) -> tuple[Fix, ...]:
    edit = SetJson(case.config.path or "config.json", (*_root(case), *number.path), value)
    return (Fix(f"set {number.path[-1]} to {json_text(value)}", "lossless", (edit,)),)


def _root(case: Case) -> JsonPath:
    declaration = survey(case).declaration
    return declaration.path if declaration is not None else ()


def _count(modules: Sequence[Module]) -> str:
    return plural(number_of_modules(modules), "module")


def _finding(
    case: Case, number: Number, modules: Sequence[Module], text: str, fixes: tuple[Fix, ...], mild: bool = False
) -> Found:
    path = (*_root(case), *number.path)
    rows = rows_in(case.outcome.rows, modules)
    shown = [line(module, part) for module in modules[:2] for part in (weight_part(module),)]
    return Found(
        severity="warning" if mild and not rows else severity_of(case, rows),
        confidence="certain",
        headline=f"config.json says {text}",
        evidence=(Evidence(where(case.config, path), f"{path[-1]} = {_stated(number)}"), *shown),
        rows=rows,
        fixes=fixes,
    )


def _stated(number: Number) -> str:
    """A static scheme is a number made of the word that stands there."""
    return '"static"' if number.path[-1] == "activation_scheme" else json_text(number.value)


RULE = Rule(
    code="LP612",
    slug="quant-scheme",
    group="quantization",
    title="Bits, symmetry or static activations that the tensors contradict",
    check=check,
)
