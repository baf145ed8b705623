"""LP605 quant-layout: packed tensors in a form that the declared method does not unpack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loadproof.config import where
from loadproof.config.quantization import method_of
from loadproof.core.case import Case
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import Fix, ReshapeTensors
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import about, in_files
from loadproof.core.severity import Confidence
from loadproof.core.tensors import Family
from loadproof.lexicon.layouts import Layout, layouts
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.packed_experts import packed_one_by_one, stacks
from loadproof.rules.evidence.quantization_config import declaring
from loadproof.rules.evidence.quantized_layout import declared, skipped_method
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in, severity_of, weight_part
from loadproof.rules.evidence.scale_shapes import OddScale, odd_scales
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import plural, shape_text
from loadproof.rules.rows import of_kind

_AGAIN = Fix("load it with the engine it was made for, or export it again with one tensor per expert", "manual")
_TINYGEMM = "tinygemm"


def check(case: Case) -> Iterable[Found]:
    """Whole stacks of experts, experts one by one, the other axis, other shapes of scales, layouts of kernels."""
    yield from _kernel(case)
    if declared(case) is None:
        return
    if skipped_method(case):
        yield from _stacked_of_others(case)
        return
    yield from _stacked(case)
    yield from _one_by_one(case)
    yield from _other_layout(case)
    yield from _odd(case)


def _stacked(case: Case) -> Iterator[Found]:
    """Parameters that stay random while packed tensors named after them are stored and nobody takes them."""
    stated = declared(case)
    missing = [(row, forms) for row in of_kind(case.outcome.rows, "missing") if (forms := _forms(case, row))]
    if not missing or stated is None:
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
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=(_AGAIN,),
    )


def _forms(case: Case, row: Row) -> list[Family]:
    """Stored tensors whose names are that of a stack of experts and a suffix; a linear module is none (LP603)."""
    if row.template.endswith(".weight"):
        return []
    forms = [family for family in case.manifest.families if family.template.startswith(f"{row.template}_")]
    return forms if any(is_packed(form.dtype) for form in forms) else []


def _extends(row: Row, missing: list[Row]) -> bool:
    return any((row.stored or row.template).startswith(f"{parameter.template}_") for parameter in missing)


def _line(family: Family) -> Evidence:
    text = f"{show(family.template, family.axes)} {family.dtype} {shape_text(family.shape)}"
    return Evidence(in_files(family.files[:2], 2), text)


def _stacked_of_others(case: Case) -> Iterator[Found]:
    """Stacked experts packed as a whole under a method that the release skips: no declaration makes it unpack them."""
    modules = [m for m in survey(case).census.packed if m.stacked and m.match and m.match.whole]
    strange = [module for module in modules if not _is_read(case, _layout(module))]
    if strange:
        rows = rows_in(case.outcome.rows, strange)
        headline = f"{plural(number_of_modules(strange), 'stack')} of experts packed as {_layout(strange[0]).title}"
        headline = headline.replace(", stacked experts", "") + f": no method of {case.expectation.reader} unpacks them"
        yield _found(case, headline, strange, rows, "certain", (_AGAIN,))


def _is_read(case: Case, layout: Layout) -> bool:
    known = case.expectation.quantizers
    return known is None or any(method in known for method in layout.methods)


def _one_by_one(case: Case) -> Iterator[Found]:
    """This release holds the experts of a layer in one dense parameter, and its quantizer unpacks linear modules only."""
    modules, declaration = packed_one_by_one(case), survey(case).declaration
    if not modules or declaration is None:
        return
    rows = (*rows_in(case.outcome.rows, modules), *stacks(case.outcome.rows))
    reader = f"{case.expectation.reader} {case.expectation.version}"
    headline = (
        f"{plural(number_of_modules(modules), 'expert matrix').replace('matrixs', 'matrices')} are packed one by "
    )
    headline += f"one with {declaration.method}; {reader} keeps experts stacked and dense, and unpacks none of them"
    fix = Fix("load it with a release or engine that has one module per expert, or export it again", "manual")
    yield _found(case, headline, modules, rows, "certain" if rows else "likely", (fix,))


def _other_layout(case: Case) -> Iterator[Found]:
    """Packed along the other axis than the declared method unpacks, or in another format of the same method."""
    found = survey(case)
    declaration = found.declaration
    if declaration is None or not found.census.packed or case.manifest.names_only:
        return
    strange = [m for m in found.census.packed if m.match and m.match.whole and _is_other(m, declaration.layouts)]
    strange += [m for m in found.census.packed if m.match and m.match.whole and _is_other_format(case, m)]
    if not strange:
        return
    layout = _layout(strange[0])
    rows = rows_in(case.outcome.rows, strange)
    stated = declaration.schemes[0].format if layout.name in declaration.layouts else None
    headline = f"config.json says {stated or declaration.method}, and {plural(number_of_modules(strange), 'weight')} "
    headline += f"are packed as {layout.title}{_axis(layout)}"
    yield _found(case, headline, strange, rows, "certain", declaring(case, declaration.path, layout))


def _is_other(module: Module, declared_layouts: Sequence[str]) -> bool:
    """GPTQ and AWQ share their names; shapes tell them apart, square matrices included."""
    layout = _layout(module)
    mine = layout.packed == "qweight" and layout.name not in declared_layouts
    return mine and any(layouts()[name].packed == "qweight" for name in declared_layouts)


def _is_other_format(case: Case, module: Module) -> bool:
    declaration = survey(case).declaration
    scheme = declaration.scheme_of(module) if declaration is not None else None
    stated = scheme.format if scheme is not None else None
    if declaration is None or stated not in declaration.layouts:
        return False
    return _layout(module).name in declaration.layouts and _layout(module).name != stated and not module.stacked


def _layout(module: Module) -> Layout:
    assert module.match is not None
    return module.match.layout


def _axis(layout: Layout) -> str:
    first = layout.shapes(layout.packed)[0]
    return {"I*b/32, O": ", along the input", "I, O*b/32": ", along the output"}.get(first, "")


def _odd(case: Case) -> Iterator[Found]:
    """Scales whose dimensions are lost can be given them back; of another grid nothing can be made."""
    odd = odd_scales(case)
    for flat in (True, False):
        found = [one for one in odd if one.is_flat == flat]
        if found:
            yield _of_scales(case, found, flat)


def _of_scales(case: Case, odd: Sequence[OddScale], flat: bool) -> Found:
    modules = [one.module for one in odd]
    first, number = odd[0], plural(sum(one.module.number for one in odd), "module")
    shape = shape_text(first.module.parts[first.part].shape)
    wanted = f", where the reader wants {shape_text(first.wanted)}" if first.wanted is not None else ""
    headline = f"{first.part or 'the scale'} of {number} has the shape {shape}{wanted}"
    edits = tuple(
        ReshapeTensors(one.module.name_of(one.part), one.module.axes, one.wanted)
        for one in odd
        if one.wanted is not None
    )
    fix = Fix("give the scales their dimensions back in the header", "lossless", edits)
    if not flat:
        fix = Fix("take these scales from the export they come from, or quantize again", "manual")
    lines = [line(one.module, one.part) for one in odd[:3]]
    rows = rows_in(case.outcome.rows, modules)
    return Found(
        severity=severity_of(case, rows),
        confidence="certain" if rows else "likely",
        headline=headline,
        evidence=tuple(lines),
        rows=rows,
        fixes=(fix,),
    )


def _kernel(case: Case) -> Iterator[Found]:
    """int4 weights in the order of a GPU kernel, which no method of the library unpacks."""
    modules = [m for m in survey(case).census.packed if m.match and m.match.layout.name == _TINYGEMM]
    if modules:
        rows = rows_in(case.outcome.rows, modules)
        number = number_of_modules(modules)
        headline = (
            f"{plural(number, 'weight')} {'is' if number == 1 else 'are'} packed for one GPU kernel (int4 tinygemm)"
        )
        fix = Fix("export it again from the weights in 16 bit, with torchao's own checkpoint format", "manual")
        yield _found(case, headline, modules, rows, "certain", (fix,))


def _found(
    case: Case,
    headline: str,
    modules: Sequence[Module],
    rows: tuple[Row, ...],
    sure: Confidence,
    fixes: tuple[Fix, ...],
) -> Found:
    first = modules[0]
    shown = [weight_part(first), *(p for p in first.parts if p not in (weight_part(first), "bias"))]
    evidence = [line(first, part) for part in shown[:3]]
    declaration = survey(case).declaration
    if declaration is not None:
        place = where(case.config, (*declaration.path, "quant_method"))
        evidence.insert(0, Evidence(place, f'quant_method = "{declaration.entry.get("quant_method")}"'))
    return Found(
        severity=severity_of(case, rows),
        confidence=sure,
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=fixes,
    )


RULE = Rule(
    code="LP605",
    slug="quant-layout",
    group="quantization",
    title="Packed tensors in a form that the declared method does not unpack",
    check=check,
)
