"""Companions under a name that the declared method does not read, proved by dtype and shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from loadproof.config.quantization_scheme import Scheme
from loadproof.core.boxes import subtract_all
from loadproof.core.case import Case
from loadproof.core.tensors import Family
from loadproof.lexicon.layouts import Layout, layouts
from loadproof.quantization.census import Module
from loadproof.quantization.recognise import solved_part
from loadproof.quantization.terms import fits
from loadproof.rules.evidence.quantized_modules import families_by_module
from loadproof.rules.evidence.survey import Declaration, survey


class Renaming(Struct, frozen=True):
    """A part that the method wants, and the name under which these modules hold it."""

    stored: str
    wanted: str
    layout: Layout
    modules: tuple[Module, ...]


def renamings(case: Case) -> list[Renaming]:
    """What would make the declared layout whole. Nothing where a part has two candidates, or none."""
    found = survey(case)
    if found.declaration is None or case.manifest.names_only:
        return []
    suspects = [module for module in found.census.packed if _is_suspect(module, found.declaration)]
    if not suspects:
        return []
    beside = families_by_module(case.manifest.families)
    made: dict[tuple[str, str, str], list[Module]] = {}
    for module in suspects:
        for stored, wanted, layout in _of_module(module, found.declaration, beside):
            made.setdefault((stored, wanted, layout.name), []).append(module)
    return [Renaming(s, w, layouts()[name], tuple(modules)) for (s, w, name), modules in made.items()]


def _is_suspect(module: Module, declaration: Declaration) -> bool:
    match = module.match
    return match is not None and (bool(match.lacking) or match.layout.name not in declaration.layouts)


def _of_module(
    module: Module, declaration: Declaration, beside: Mapping[tuple[str, int], list[Family]]
) -> list[tuple[str, str, Layout]]:
    parts = {**_neighbours(module, beside), **module.parts}
    for name in declaration.layouts:
        layout = layouts()[name]
        if layout.stacked == module.stacked:
            found = list(_pairs(layout, parts, declaration.scheme_of(module)))
            if found and all(pair is not None for pair in found):
                return [(*pair, layout) for pair in found if pair is not None]
    return []


def _neighbours(module: Module, beside: Mapping[tuple[str, int], list[Family]]) -> dict[str, Family]:
    """Other tensors right below the module, at all of its indices."""
    held = beside.get((module.template, len(module.axes)), [])
    return {
        family.template.rpartition(".")[2]: family for family in held if not subtract_all([module.axes], [family.axes])
    }


def _pairs(layout: Layout, parts: Mapping[str, Family], scheme: Scheme | None) -> Iterator[tuple[str, str] | None]:
    """(stored, wanted) for each part that is required and not there; None for one without a single candidate."""
    held = {layout.aliases.get(name, name) for name in parts} | {
        name for name, other in layout.instead.items() if other in parts
    }
    lacking = [name for name in layout.requires if name not in held]
    others = [n for n in parts if layout.aliases.get(n, n) not in (*layout.tensors, "bias") or n in _foreign(layout)]
    weight = parts.get(layout.packed)
    known = weight is not None and weight.dtype in layout.dtypes(layout.packed)
    if not known or weight is None or weight.shape is None:
        return
    sizes = solved_part(layout, layout.packed, weight, {"b": layout.bits[0]})
    for wanted in lacking if sizes is not None else ():
        fitting = [
            name for name in others
            if _alike(name, wanted) and (solved := solved_part(layout, wanted, parts[name], sizes or {})) is not None
            and _as_declared(solved, parts[name], scheme)
        ]  # fmt: skip
        yield (fitting[0], wanted) if len(fitting) == 1 else None


def _foreign(layout: Layout) -> frozenset[str]:
    return frozenset(name for one in layouts().values() for name in one.tensors) - {*layout.tensors, *layout.aliases}


def _alike(name: str, other: str) -> bool:
    """Whether two names of companions share a word: `weight_scale` and `weight_scale_inv`."""
    return bool(set(_words(name)) & set(_words(other)))


def _words(name: str) -> Iterable[str]:
    words = re.split(r"[._]+", name.lower().replace("zeros", "zero").replace("scales", "scale"))
    return [word for word in words if word not in ("weight", "w", "")] or words


def _as_declared(sizes: Mapping[str, int], family: Family, scheme: Scheme | None) -> bool:
    """Whether the scale has the grid of the declared block; where none is declared it is one number."""
    block = scheme.block.value if scheme is not None and scheme.block is not None else None
    if "O/n" not in sizes:
        return block is None or family.shape not in ((), (1,))
    if not isinstance(block, list) or len(block) != 2 or not all(isinstance(n, int) for n in block):
        return False
    return fits(block[0], sizes["O"], sizes["O/n"]) and fits(block[1], sizes["I"], sizes["I/k"])
