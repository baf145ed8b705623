"""Every module of a file, by its own tensors: dense, or packed in which layout, with which companions and sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core.families import count
from loadproof.core.tensors import Axes, Family, Shape
from loadproof.lexicon.layouts import layouts
from loadproof.lexicon.words import any_of
from loadproof.quantization.cells import cells
from loadproof.quantization.recognise import Match, Parts, recognise

DENSE = frozenset(("F64", "F32", "F16", "BF16"))


class Module(Struct, frozen=True):
    """Modules of one name that hold the same parts. `match` is None for a dense one."""

    template: str
    axes: Axes
    parts: dict[str, Family]  # by the names that they are stored under, below the module
    match: Match | None = None
    stacked: bool = False

    def name_of(self, part: str) -> str:
        """The template of a part of this module."""
        return f"{self.template}{part}" if self.stacked else f"{self.template}.{part}"

    @property
    def number(self) -> int:
        return count(self.axes)


class Census(Struct, frozen=True):
    """The modules of a file that hold a weight, packed ones and dense ones of two dimensions and more."""

    packed: tuple[Module, ...]
    dense: tuple[Module, ...]

    def of_layout(self) -> Counter[str]:
        """How many modules each layout has."""
        found: Counter[str] = Counter()
        for module in self.packed:
            if module.match is not None:
                found[module.match.layout.name] += module.number
        return found


def take_census(
    families: Iterable[Family], prefer: Collection[str] = (), dense: Mapping[str, Shape] | None = None
) -> Census:
    """The modules of these tensors. `prefer`: layouts that the config declares, where a module could be of several;
    `dense`: the shape that the model wants under the name of a weight."""
    found = [module for key, parts in _by_module(families).items() for module in _modules(key, parts)]
    recognised = [_recognised(module, prefer, dense or {}) for module in found]
    usual = Counter(
        {m.match.layout.name: m.number for m in recognised if m.match is not None and m.match.whole}
    ).most_common(1)
    if usual and usual[0][0] not in prefer:
        likely = [*prefer, usual[0][0]]
        recognised = [
            m if m.match is None or m.match.whole else _recognised(m, likely, dense or {}) for m in recognised
        ]
    packed = tuple(module for module in recognised if module.match is not None)
    return Census(packed, tuple(module for module in recognised if module.match is None and _is_matrix(module)))


_Key = tuple[str, int, bool]  # template of a module, its indices, stacked


def _names(stacked: bool) -> list[str]:
    chosen = [layout for layout in layouts().values() if layout.stacked == stacked]
    return [name for layout in chosen for name in (*layout.tensors, *layout.aliases)]


BEHIND = tuple(filter(None, _names(True)))  # what stands behind the name of stacked experts
_BESIDE = re.compile(rf"\.({any_of([*_names(False), 'weight', 'bias'])})\Z")
_BEHIND = re.compile(rf"(?<=_proj)({any_of(BEHIND)})?\Z")


def _by_module(families: Iterable[Family]) -> dict[_Key, dict[str, list[Family]]]:
    found: dict[_Key, dict[str, list[Family]]] = {}
    for family in families:
        stacked = ".experts." in family.template
        part = (_BEHIND.search(family.template) if stacked else None) or _BESIDE.search(family.template)
        if part is not None:
            stacked = part.re is _BEHIND
            key = family.template[: part.start()], len(family.axes), stacked
            found.setdefault(key, {}).setdefault(part.group(1) or "", []).append(family)
    return found


def _modules(key: _Key, parts: Mapping[str, list[Family]]) -> Iterator[Module]:
    names = [name for name, held in parts.items() for _ in held]
    flat = [family for held in parts.values() for family in held]
    by_id = {id(family): name for family, name in zip(flat, names, strict=True)}
    for axes, held in cells(flat):
        yield Module(key[0], axes, {by_id[id(family)]: family for family in held}, None, key[2])


def _recognised(module: Module, prefer: Collection[str], dense: Mapping[str, Shape]) -> Module:
    wanted = dense.get(f"{module.template}.weight")
    parts: Parts = {name: family for name, family in module.parts.items() if name != "bias"}
    return replace(module, match=recognise(parts, prefer, module.stacked, wanted))


def _is_matrix(module: Module) -> bool:
    weight = module.parts.get("weight")
    return weight is not None and (weight.shape is None or (len(weight.shape) > 1 and weight.dtype in DENSE))
