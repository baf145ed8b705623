"""LP604 quant-companion-missing: a packed weight without its scales or states, or these without their weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.core.boxes import subtract_all
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.core.severity import Confidence
from loadproof.core.tensors import Axes, Family
from loadproof.quantization.census import Census, Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_layout import skipped_method
from loadproof.rules.evidence.quantized_modules import number_of_modules, rows_in, severity_of, shown, weight_part
from loadproof.rules.evidence.renamed_companions import renamings
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.survey import survey
from loadproof.rules.evidence.wording import plural
from loadproof.rules.rows import of_kind


class _Gap(Struct, frozen=True):
    module: Module
    lost: tuple[str, ...]


def check(case: Case) -> Iterable[Found]:
    """Per module, the parts that its layout stores together; only where every shard is at hand."""
    found = survey(case)
    if found.declaration is None or case.manifest.names_only or not _complete(case):
        return
    known = {id(module) for renaming in renamings(case) for module in renaming.modules}
    lacking = [m for m in found.census.packed if m.match and m.match.lacking and id(m) not in known]
    gaps, absent = [*_uneven(found.census)], list[tuple[Row, Module]]()
    if not skipped_method(case):  # else nothing is unpacked, and what is lost does not matter to this reader
        gaps = [*(_Gap(module, module.match.lacking) for module in lacking if module.match), *gaps]
        absent += _absent(case, found.census)
    if gaps or absent:
        yield _finding(case, gaps, absent)


def _complete(case: Case) -> bool:
    there = {file.path for file in case.inventory.files}
    return all(file in there for file in case.selection.files) and not case.manifest.unread


def _uneven(census: Census) -> Iterator[_Gap]:
    """Modules that lack a part which modules of the same name have."""
    having: dict[str, set[str]] = {}
    for module in census.packed:
        having.setdefault(module.template, set()).update(module.match.parts if module.match else ())
    for module in census.packed:
        match = module.match
        if match is not None and not match.lacking:
            wanted = (part for part in match.layout.all_or_none if part in having[module.template])
            if lost := tuple(part for part in wanted if part not in match.parts):
                yield _Gap(module, lost)


def _absent(case: Case, census: Census) -> Iterator[tuple[Row, Module]]:
    """Missing weights of modules that are packed at other indices: the module is not stored at all."""
    packed: dict[str, list[Module]] = {}
    for module in census.packed:
        packed.setdefault(module.template, []).append(module)
    stored: dict[str, list[Axes]] = {}
    for module in (*census.packed, *census.dense):
        stored.setdefault(module.template, []).append(module.axes)
    for row in of_kind(case.outcome.rows, "missing"):
        name = next((n for n in (row.template.rpartition(".")[0], row.template) if n in packed), None)
        if name is None or len(packed[name][0].axes) != len(row.axes):
            continue
        if subtract_all([row.axes], stored[name]) == [row.axes]:
            yield row, packed[name][0]


def _finding(case: Case, gaps: list[_Gap], absent: list[tuple[Row, Module]]) -> Found:
    modules = [gap.module for gap in gaps]
    number = number_of_modules(modules) + len({row.template.rpartition(".")[0] for row, _ in absent})
    lost = listed(sorted({part for gap in gaps for part in gap.lost} or {_packed_part(m) for _, m in absent}))
    verb = "lacks" if number == 1 else "lack"
    evidence = [_line(gap) for gap in gaps[:4]]
    evidence += [_absent_line(row) for row, _ in absent[:2]]
    rows = (*rows_in(case.outcome.rows, modules), *(row for row, _ in absent))
    fix = Fix(
        "take the missing tensors from the export they come from, or quantize again: they cannot be computed", "manual"
    )
    return Found(
        severity=severity_of(case, rows),
        confidence=_confidence(gaps, survey(case).census),
        headline=f"{plural(number, 'quantized module')} {verb} {lost}",
        evidence=tuple(evidence),
        rows=rows,
        fixes=(fix,),
        notes=tuple(_elsewhere(case, gaps)),
    )


def _line(gap: _Gap) -> Evidence:
    part = weight_part(gap.module)
    files = gap.module.parts[part].files
    return Evidence(in_files(files[:2], 2), f"{shown(gap.module, part)}, and no {gap.lost[0] or 'weight'} beside it")


def _absent_line(row: Row) -> Evidence:
    return Evidence(in_files(row.files[:2], 2), f"{show(row.template, row.axes)}: neither the weight nor its scales")


def _packed_part(module: Module) -> str:
    return module.match.layout.packed or "its weight" if module.match else "its weight"


def _confidence(gaps: Iterable[_Gap], census: Census) -> Confidence:
    """Where some parts of what one conversion takes are there and others not, it raises in place of loading wrong."""
    held: dict[str, set[str]] = {}
    for module in census.packed:
        held.setdefault(module.template, set()).update(module.match.parts if module.match else ())
    return "likely" if any(_raises(gap, held[gap.module.template]) for gap in gaps) else "certain"


def _raises(gap: _Gap, held: set[str]) -> bool:
    if ".experts.{}." in gap.module.template and any(part in held for part in gap.lost):
        return True
    return any(part.startswith("weight.") for part in gap.module.parts)


def _elsewhere(case: Case, gaps: list[_Gap]) -> Iterator[Note]:
    """The lost tensors may lie in a file that the reader does not open."""
    others = tuple(
        file.path
        for file in case.inventory.files
        if file.path.endswith(".safetensors") and file.path not in case.selection.files and "/" not in file.path
    )
    if not others or not gaps:
        return
    wanted = {gap.module.name_of(part) for gap in gaps for part in gap.lost}
    found: list[Family] = [family for family in case.families_of(others) if family.template in wanted]
    for family in found[:2]:
        yield Note("note", f"{show(family.template, family.axes)} lies in {family.files[0]}, which is not read")
    if not found:
        yield Note("note", "no other safetensors file of the folder holds them either")


RULE = Rule(
    code="LP604",
    slug="quant-companion-missing",
    group="quantization",
    title="A packed weight lacks its scales or states",
    check=check,
    absorbs=("LP410",),
)
