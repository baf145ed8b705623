"""LP107 duplicate-tensor: two files hold a tensor of the same name."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.boxes import Nearby, intersect
from loadproof.core.case import Case
from loadproof.core.checkpoint import IndexFile
from loadproof.core.edits import DropTensors, Edit, Fix, RebuildIndex, SetAside
from loadproof.core.families import split_name
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, in_files
from loadproof.core.severity import Severity
from loadproof.core.tensors import Duplicate
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import SHOWN
from loadproof.rules.evidence.shards import deciding_index, set_of


def check(case: Case) -> Iterable[Found]:
    """An error when the copy that is used is not the one the index names; a warning otherwise."""
    duplicates = case.manifest.duplicates
    if not duplicates:
        return
    index = deciding_index(case)
    named = index.weight_map if index is not None else {}
    same = set(case.equal_duplicates)
    wrong = [
        twice
        for twice in duplicates
        if twice.name not in same and named.get(twice.name, twice.files[-1]) != twice.files[-1]
    ]
    shown = wrong or list(duplicates)
    what = f"{shown[0].name} is" if len(shown) == 1 else f"{len(shown):,} tensors are"
    if wrong:
        headline = f"{what} stored twice, and the copy that loads is not the one the index names"
    elif len(same) == len(duplicates):
        headline = f"{what} stored in two files with the same bytes"
    else:
        headline = f"{what} stored in two files; the later file name wins without a word"
    evidence = [Evidence(in_files(twice.files, 3), f"{twice.name}: {twice.files[-1]} wins") for twice in shown[:SHOWN]]
    if index is not None:
        evidence.append(Evidence(Place(index.path), f"{shown[0].name} -> {named.get(shown[0].name, 'not named')}"))
    severity: Severity = "error" if wrong else "warning"
    yield Found(
        severity=severity, confidence="certain", headline=headline, evidence=tuple(evidence), fixes=_fixes(case, index)
    )


def _fixes(case: Case, index: IndexFile | None) -> tuple[Fix, ...]:
    """Leave out the copies that the index does not name; without an index nobody can say which is right."""
    named = index.weight_map if index is not None else {}
    unnamed = [(twice.name, file) for twice in case.manifest.duplicates for file in _losers(twice, named)]
    if not unnamed or index is None:
        return (Fix("keep the copy you trust and remove the other file", "manual"),)
    stale = {file for _, file in unnamed} - _files_with_tensors(case, index)
    edits: list[Edit] = [SetAside(file) for file in sorted(stale)]
    for name, file in unnamed:
        if file not in stale:
            template, indices = split_name(name)
            edits.append(DropTensors(template, tuple((one,) for one in indices), file))
    if stale:
        edits.append(RebuildIndex(index.path, tuple(file for file in set_of(index) if file not in stale)))
    return (Fix("leave out the copies that the index does not name", "lossless", tuple(edits)),)


def _losers(twice: Duplicate, named: dict[str, str]) -> list[str]:
    keep = named.get(twice.name)
    return [file for file in twice.files if file != keep] if keep in twice.files else []


def _files_with_tensors(case: Case, index: IndexFile) -> set[str]:
    """The files to which the index gives any tensor that exists."""
    stored: dict[tuple[str, int], Nearby] = {}
    for family in case.manifest.families:
        stored.setdefault((family.template, len(family.axes)), Nearby()).add(family.axes)
    found: set[str] = set()
    for name, file in index.weight_map.items():
        if file not in found and _is_stored(stored, *split_name(name)):
            found.add(file)
    return found


def _is_stored(stored: dict[tuple[str, int], Nearby], template: str, indices: tuple[int, ...]) -> bool:
    point = tuple((one,) for one in indices)
    held = stored.get((template, len(indices)))
    return held is not None and any(intersect(point, axes) is not None for axes in held.boxes_near(point))


RULE = Rule(
    code="LP107",
    slug="duplicate-tensor",
    group="index",
    title="Two files hold a tensor of the same name",
    check=check,
    absorbs=("LP106",),
    cured_by=(DropTensors,),
)
