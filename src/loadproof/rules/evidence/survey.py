"""What the config declares against what each module of the file holds: the ground of the rules of quantization."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from loadproof.config.quantization import method_of
from loadproof.config.quantization_scheme import Scheme, names_module, schemes
from loadproof.config.skip_list import SkipList, skip_list
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.families import join_name
from loadproof.core.tensors import Family, Shape
from loadproof.lexicon.layouts import Layout, layouts, of_method
from loadproof.quantization.census import Census, Module, take_census
from loadproof.quantization.terms import solve
from loadproof.rules.evidence.quantized_layout import declared


class Declaration(Struct, frozen=True):
    """The declaration that the reader takes: where it stands, its method, and what it says."""

    path: JsonPath
    method: str
    entry: Mapping[str, Any]
    schemes: tuple[Scheme, ...]
    skips: SkipList
    layouts: tuple[str, ...]  # names of the layouts that the method reads

    def scheme_of(self, module: Module) -> Scheme | None:
        """The scheme of a module: one that names it before one for its kind."""
        name = join_name(module.template, tuple(axis[0] for axis in module.axes))
        named = (one for one in self.schemes if any(names_module(target, name) for target in one.targets))
        return next(named, None) or next((one for one in self.schemes if not one.targets or one.kinds), None)


class Survey(Struct, frozen=True):
    """The modules as they are, and the declaration; None where there is none, or where it names no method."""

    census: Census
    declaration: Declaration | None


def survey(case: Case) -> Survey:
    """What is stored and what is declared. The same case is looked at once, however many rules ask."""
    return _survey(_Same(case))


class _Same:
    """A case as a key: rules see it with fewer and fewer rows, which do not matter here."""

    __slots__ = ("case",)

    def __init__(self, case: Case) -> None:
        self.case = case

    def __hash__(self) -> int:
        return id(self.case.manifest)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Same)
            and other.case.manifest is self.case.manifest
            and other.case.config is self.case.config
            and other.case.expectation is self.case.expectation
        )


@lru_cache(maxsize=1)
def _survey(same: _Same) -> Survey:
    case, stated = same.case, _declaration(same.case)
    families: tuple[Family, ...] = case.manifest.families
    prefer = stated.layouts if stated is not None else ()
    return Survey(take_census(families, prefer, _dense_shapes(case, stated)), stated)


def _declaration(case: Case) -> Declaration | None:
    found = declared(case)
    method = method_of(found[1]) if found is not None else None
    if found is None or not isinstance(method, str):
        return None
    path, entry = found
    skips = skip_list(method, entry, case.expectation.version)
    names = tuple(layout.name for layout in of_method(method))
    return Declaration(path, method, entry, schemes(method, entry), skips, names)


def _dense_shapes(case: Case, stated: Declaration | None) -> dict[str, Shape]:
    """The shapes of ordinary weights by the names of the model; of a replaced module by what the declaration makes of it."""
    found = {one.template: one.shape for one in case.expectation.families if one.template.endswith(".weight")}
    for layout in map(layouts().__getitem__, stated.layouts if stated is not None else ()):
        if stated is not None and layout.packed not in ("weight", ""):
            found |= _replaced(
                case, layout, {scheme.bits.value for scheme in stated.schemes if scheme.bits is not None}
            )
    return {name: shape for name, shape in found.items() if len(shape) == 2}


def _replaced(case: Case, layout: Layout, bits: set[Any]) -> dict[str, Shape]:
    """Dense shapes of the modules whose packed weight the model expects in this layout, where one number of bits is stated."""
    found: dict[str, Shape] = {}
    known = next(iter(bits), None) if len(bits) == 1 else None
    for one in case.expectation.families if isinstance(known, int) and known > 0 else ():
        module = one.template.removesuffix(f".{layout.packed}")
        sizes = solve(layout.shapes(layout.packed)[0], one.shape, {"b": known or 1}) if module != one.template else None
        if sizes is not None and "O" in sizes and "I" in sizes:
            found[f"{module}.weight"] = (sizes["O"], sizes["I"])
    return found
