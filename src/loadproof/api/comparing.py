"""`diff`: two checkpoints side by side, and which config fits which weights."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Unpack

from msgspec.structs import replace

from loadproof.api.checking import check
from loadproof.core.boxes import intersect, subtract_all
from loadproof.core.case import Report
from loadproof.core.config import JsonPath
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Asked
from loadproof.core.results import DiffReport, FieldChange, Fit, TensorChange
from loadproof.core.tensors import Axes, Family
from loadproof.readers import get_reader
from loadproof.rules.evidence.name_comparison import find_renamings, roles

# What differs between any two saves and decides nothing about the weights.
_IRRELEVANT = frozenset({"transformers_version", "_name_or_path", "torch_dtype", "use_cache", "_commit_hash"})


Names = list[tuple[str, Axes]]


def diff(first: str | os.PathLike[str], second: str | os.PathLike[str], **reading: Unpack[Asked]) -> DiffReport:
    """Compare two checkpoints by their headers and configs. `reading` and what is raised: as in `check`."""
    a, b = check(first, **reading), check(second, **reading)
    first_families, second_families = a.case.manifest.families, b.case.manifest.families
    only_a, only_b, changed = compare(first_families, second_families)
    renamed, rest_a, rest_b = find_renamings(_families(only_a, first_families), _families(only_b, second_families))
    counted = [role for role in roles(first_families, second_families) if role.first != role.second]
    changes = tuple(_fields(a.case.config.raw, b.case.config.raw, ()))
    fits = tuple(_fit(x, y) for x in enumerate((a, b)) for y in enumerate((a, b)))
    left, right = (tuple((family.template, family.axes) for family in rest) for rest in (rest_a, rest_b))
    return DiffReport(a, b, changes, left, right, tuple(changed), fits, tuple(renamed), tuple(counted))


def _families(names: Names, held: Iterable[Family]) -> list[Family]:
    """The named parts of the stored families, with their shapes."""
    return [
        replace(family, axes=common)
        for template, axes in names
        for family in held
        if family.template == template and (common := intersect(family.axes, axes)) is not None
    ]


def _fit(config: tuple[int, Report], weights: tuple[int, Report]) -> Fit:
    if config[0] == weights[0]:
        return Fit(config[0], weights[0], config[1].case.outcome)
    case = config[1].case
    if case.expectation.inconclusive or case.expectation.raises:
        why = case.expectation.inconclusive or f"this config does not load: {case.expectation.raises}"
        return Fit(config[0], weights[0], Outcome(inconclusive=why))
    outcome = get_reader(case.reading.reader).load(
        weights[1].case.manifest, case.expectation, case.config, case.reading
    )
    return Fit(config[0], weights[0], outcome)


def compare(first: Iterable[Family], second: Iterable[Family]) -> tuple[Names, Names, list[TensorChange]]:
    """(only in the first, only in the second, in both but with another shape or dtype), each name once."""
    a, b = _by_template(first), _by_template(second)
    return _only(a, b), _only(b, a), [change for t in a for change in _changes(t, a[t], b.get(t, []))]


def _only(these: dict[str, list[Family]], those: dict[str, list[Family]]) -> Names:
    boxes = {template: [family.axes for family in families] for template, families in those.items()}
    return [
        (template, axes)
        for template, families in these.items()
        for axes in subtract_all([family.axes for family in families], boxes.get(template, ()))
    ]


def _by_template(families: Iterable[Family]) -> dict[str, list[Family]]:
    found: dict[str, list[Family]] = {}
    for family in families:
        found.setdefault(family.template, []).append(family)
    return found


def _changes(template: str, first: list[Family], second: list[Family]) -> Iterable[TensorChange]:
    for a in first:
        for b in second:
            common = intersect(a.axes, b.axes)
            if common is not None and (a.shape, a.dtype) != (b.shape, b.dtype):
                yield TensorChange(template, common, (a.shape, a.dtype), (b.shape, b.dtype))


def _fields(first: Any, second: Any, path: JsonPath) -> Iterable[FieldChange]:
    if isinstance(first, dict) and isinstance(second, dict):
        for key in {**first, **second}:
            if key not in _IRRELEVANT:
                yield from _fields(first.get(key), second.get(key), (*path, key))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (a, b) in enumerate(zip(first, second, strict=True)):
            yield from _fields(a, b, (*path, index))
    elif first != second or type(first) is not type(second):
        yield FieldChange(path, first, second)
