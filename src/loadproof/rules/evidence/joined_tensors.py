"""Stored tensors that the reader joins (experts, split projections) and that have the right numbers in another shape.

What is reported there is the joined parameter, so the shape of a single source is found by trying: another shape of the
same numbers is proven when the prediction with it has no such row left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.core.tensors import Family, Shape
from loadproof.rules.evidence.flat_matrices import PACKED
from loadproof.rules.evidence.whatif import explained_by
from loadproof.rules.evidence.wording import elements, number_of, shape_text
from loadproof.rules.rows import count_rows, of_kind

TRIES = 100  # groups of sources that are tried; the reader predicts again for each
Shapes = Callable[[Family, list[Row]], Iterator[Shape]]
Reshaped = tuple[Family, Shape]  # a stored family and the shape it should have


def joined_targets(case: Case) -> set[str]:
    """Parameters that the reader puts together from several stored tensors or takes apart."""
    converted = {a.target for a in case.outcome.assignments if a.converted}
    return converted | {row.template for row in of_kind(case.outcome.rows, "conversion")}


def swapped_sources(case: Case) -> tuple[list[Reshaped], list[Row]]:
    """(joined sources that fit once their rows and columns are swapped, the rows that vanish then)."""
    return _search(case, lambda family, _: _swapped(family.shape or ()))


def flat_sources(case: Case) -> tuple[list[Reshaped], list[Row]]:
    """(joined sources that fit in the shape of their sisters, the rows that vanish then)."""
    return _search(case, _like_others(case))


def source_evidence(found: Iterable[Reshaped]) -> tuple[Evidence, ...]:
    """A line per family: what is stored and what it should be."""
    return tuple(
        Evidence(
            in_files(family.files),
            f"{show(family.template, family.axes)} {shape_text(family.shape)}, expected {shape_text(shape)}"
            + (f" ({number_of(family.axes)})" if count(family.axes) > 1 else ""),
        )
        for family, shape in list(found)[:4]
    )


def _search(case: Case, shapes: Shapes) -> tuple[list[Reshaped], list[Row]]:
    """Groups of sources, large ones first: their shapes are kept when that takes broken rows away and adds none."""
    broken = [
        row for row in of_kind(case.outcome.rows, "mismatched", "conversion") if row.template in joined_targets(case)
    ]
    families = list(case.manifest.families)
    chosen: list[Reshaped] = []
    best: list[Row] = []
    for group in _groups(case, broken):
        there = set(families)
        made = [(f, shape) for f in group if f in there for shape in list(shapes(f, broken))[:1]]
        trial = _with_shapes(families, made)
        gone, new = explained_by(case, trial) if made else ([], [])
        if not new and count_rows(gone) > count_rows(best):
            families, best = trial, gone
            chosen += made
    return chosen, best


def _with_shapes(families: list[Family], made: list[Reshaped]) -> list[Family]:
    shapes = dict(made)
    return [replace(f, shape=shapes[f]) if f in shapes else f for f in families]


def _groups(case: Case, broken: list[Row]) -> list[list[Family]]:
    """All sources of the broken parameters, those of each one, and each alone; equal groups once."""
    each = [_sources(case, [row]) for row in broken]
    everything = list(dict.fromkeys(family for group in each for family in group))
    groups = [everything, *each, *([family] for family in everything)]
    return [list(group) for group in dict.fromkeys(map(tuple, groups)) if group][:TRIES]


def _sources(case: Case, broken: list[Row]) -> list[Family]:
    """The stored families behind these rows: those assigned to them, else what the row names and its sisters."""
    targets = {row.template for row in broken}
    assigned = {a.stored for a in case.outcome.assignments if a.target in targets}
    named = {row.stored for row in broken if row.stored} | assigned
    conversion = any(row.kind == "conversion" for row in broken)
    modules = {name.rpartition(".")[0].rpartition(".")[0] for name in named} if conversion else set()
    return [f for f in case.manifest.families if f.template in named or _module(f) in modules]


def _module(family: Family) -> str:
    return family.template.rpartition(".")[0].rpartition(".")[0]


def _swapped(shape: Shape) -> Iterator[Shape]:
    if len(shape) >= 2 and shape[-1] != shape[-2] and 1 not in shape[-2:]:
        yield (*shape[:-2], shape[-1], shape[-2])


def _like_others(case: Case) -> Shapes:
    """Shapes of the same numbers: that of a tensor of the same name or module, or with the missing size of one."""

    def shapes(family: Family, broken: list[Row]) -> Iterator[Shape]:
        mine = family.shape
        if family.dtype in PACKED or not mine:
            return
        sisters = [f for f in case.manifest.families if _is_sister(f, family)]
        sisters.sort(key=lambda sister: sister.template != family.template)  # the same tensor of another layer first
        others = [sister.shape for sister in sisters if sister.shape]
        for shape in dict.fromkeys([*others, *(row.expected for row in broken if row.expected)]):
            if len(shape) > len(mine) and elements(shape) == elements(mine):
                yield shape
            elif len(shape) == len(mine) + 1 and 1 in shape[1:]:
                place = shape.index(1, 1)
                yield (*mine[:place], 1, *mine[place:])

    return shapes


def _is_sister(family: Family, other: Family) -> bool:
    return family != other and (family.template == other.template or _module(family) == _module(other))
