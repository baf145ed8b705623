"""LP604 quant-companion-missing: a packed weight without its scales or states, or these without their weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.config.quantization import method_of
from loadproof.core.boxes import Nearby, subtract_all
from loadproof.core.case import Case
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.core.severity import Confidence
from loadproof.core.tensors import Family
from loadproof.lexicon.pairs import FOUR_BIT, PAIRS, Pair
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_layout import declared
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.wording import plural
from loadproof.rules.quantization.quant_method import skipped_method


class _Gap(Struct, frozen=True):
    pair: Pair
    family: Family  # the part that is stored, restricted to the modules that lack the other


def check(case: Case) -> Iterable[Found]:
    """Per module, the parts that the declared method stores together; only where every shard is at hand."""
    stated = declared(case)
    if stated is None or skipped_method(case) or case.manifest.names_only or not _complete(case):
        return
    method = str(method_of(stated[1]))
    gaps = [gap for pair in PAIRS if method in pair.methods for gap in _gaps(case, pair)]
    if gaps:
        yield _finding(case, gaps)


def _complete(case: Case) -> bool:
    there = {file.path for file in case.inventory.files}
    return all(file in there for file in case.selection.files) and not case.manifest.unread


def _gaps(case: Case, pair: Pair) -> Iterator[_Gap]:
    stored: dict[tuple[str, int], Nearby] = {}
    for family in case.manifest.families:
        stored.setdefault((family.template, len(family.axes)), Nearby()).add(family.axes)
    for family in case.manifest.families:
        module = family.template.removesuffix("." + pair.part)
        if module == family.template or (pair.dtypes and family.dtype not in pair.dtypes):
            continue
        axes, wanted = family.axes, [(f"{module}.{leaf}", len(family.axes)) for leaf in pair.wanted]
        others = [box for name in wanted if name in stored for box in stored[name].boxes_near(axes)]
        for axes in subtract_all([family.axes], others):
            yield _Gap(pair, Family(family.template, axes, family.dtype, family.shape, family.files))


def _finding(case: Case, gaps: list[_Gap]) -> Found:
    modules = {(gap.family.template.removesuffix("." + gap.pair.part), gap.family.axes): gap for gap in gaps}
    number = sum(count(axes) for _, axes in modules)
    lost = listed(sorted({gap.pair.wanted[0] for gap in gaps}))
    headline = f"{plural(number, 'quantized module')} {'lacks' if number == 1 else 'lack'} {lost}"
    evidence = tuple(
        Evidence(in_files(gap.family.files[:2], 2), f"{_shown(gap.family)}, and no {gap.pair.wanted[0]} beside it")
        for gap in list(modules.values())[:4]
    )
    names = {module for module, _ in modules}
    rows = tuple(row for row in case.outcome.rows if _belongs(row, names))
    fix = Fix(
        "take the missing tensors from the export they come from, or quantize again: they cannot be computed", "manual"
    )
    return Found(
        severity="error",
        confidence=_confidence(case, gaps),
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(fix,),
    )


def _belongs(row: Row, modules: set[str]) -> bool:
    """Whether the name lies in one of these modules."""
    name = row.stored or row.template
    while name := name.rpartition(".")[0]:
        if name in modules:
            return True
    return False


def _confidence(case: Case, gaps: list[_Gap]) -> Confidence:
    """Where some parts of what one conversion takes are there and others not, it raises in place of loading wrong."""
    names = {family.template for family in case.manifest.families}
    partly = any(_has_others(gap, names) for gap in gaps)
    return "likely" if partly else "certain"


def _has_others(gap: _Gap, names: set[str]) -> bool:
    module = gap.family.template.removesuffix("." + gap.pair.part)
    if ".experts.{}." in gap.family.template and any(f"{module}.{leaf}" in names for leaf in gap.pair.wanted):
        return True
    return gap.pair.methods == FOUR_BIT and any(name.startswith(f"{module}.weight.") for name in names)


def _shown(family: Family) -> str:
    packed = f" {family.dtype}" if is_packed(family.dtype) else ""
    return f"{show(family.template, family.axes)}{packed} {list(family.shape or ())}"


RULE = Rule(
    code="LP604",
    slug="quant-companion-missing",
    group="quantization",
    title="A packed weight lacks its scales or states",
    check=check,
    absorbs=("LP410",),
)
