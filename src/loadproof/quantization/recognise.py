"""One module's parts against every layout: which of them it is, what of it is missing, what does not fit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from msgspec import Struct

from loadproof.core.dtypes import is_packed
from loadproof.core.tensors import Family, Shape
from loadproof.lexicon.companions import COMMON
from loadproof.lexicon.layouts import Layout, layouts
from loadproof.quantization.terms import Sizes, solve

Parts = Mapping[str, Family]  # by the names that they are stored under, below the module


class Match(Struct, frozen=True):
    """How the parts of a module answer to a layout."""

    layout: Layout
    parts: dict[str, Family]  # by the layout's own names
    lacking: tuple[str, ...]  # required and not stored
    misfits: tuple[str, ...]  # of a dtype or shape that it never has
    sizes: Sizes
    vague: int = 0  # dimensions of which the layout says nothing
    dense: Sizes = {}  # O and I as the model wants them, where that fits

    @property
    def whole(self) -> bool:
        return not self.lacking and not self.misfits

    @property
    def packed(self) -> Family | None:
        """The packed weight, where it is stored."""
        return self.parts.get(self.layout.packed)


def recognise(parts: Parts, prefer: Collection[str], stacked: bool = False, dense: Shape | None = None) -> Match | None:
    """The layout that these parts have, None for a dense module. `prefer`: names of layouts that are likely.

    `dense` is the shape of the weight that the model wants there, where it is known.
    """
    if not any(is_packed(family.dtype) or name not in _PLAIN for name, family in parts.items()):
        return None
    names = {name for part in parts for name in _candidates(stacked).get(part, ())}
    found = [match for name in sorted(names) if (match := _match(layouts()[name], parts, dense)) is not None]
    found = [match for match in found if _is_sign(match, parts, prefer)]
    return max(found, key=lambda match: _rank(match, prefer), default=None)


_PLAIN = frozenset(("weight", "bias", "", *COMMON))


@cache
def _candidates(stacked: bool) -> dict[str, list[str]]:
    """Names of tensors -> the layouts that store one under it."""
    found: dict[str, list[str]] = {}
    for layout in layouts().values():
        if layout.stacked == stacked:
            for part in (*layout.tensors, *layout.aliases):
                found.setdefault(part, []).append(layout.name)
    return found


def _match(layout: Layout, parts: Parts, dense: Shape | None) -> Match | None:
    """The best reading of these parts in this layout; None where its weight has a dtype of another one."""
    held = {layout.aliases.get(name, name): family for name, family in parts.items()}
    held = {name: family for name, family in held.items() if name in layout.tensors}
    weight = held.get(layout.packed)
    if weight is not None and weight.dtype is not None and weight.dtype not in layout.dtypes(layout.packed):
        return None
    there = {*held, *(name for name, other in layout.instead.items() if other in held)}
    lacking = tuple(name for name in layout.requires if name not in there)
    tries = [_fit(layout, held, lacking, {"b": bits}, known) for known in _known(dense) for bits in layout.bits]
    return min(tries, key=lambda match: len(match.misfits))


def _known(dense: Shape | None) -> tuple[Sizes, ...]:
    """With the dense shape, where there is one, and without it: the model may be another one than the file."""
    return ({"O": dense[0], "I": dense[1]}, {}) if dense is not None and len(dense) == 2 else ({},)


def _fit(layout: Layout, held: dict[str, Family], lacking: tuple[str, ...], bits: Sizes, dense: Sizes) -> Match:
    sizes: Sizes = {**bits, **dense}
    misfits, vague = [], 0
    for name in sorted(held, key=lambda name: (name != layout.packed, list(layout.tensors).index(name))):
        family = held[name]
        if family.shape is None:
            continue
        solved = _solved(layout, name, family.shape, sizes)
        if solved is None or (family.dtype is not None and family.dtype not in layout.dtypes(name)):
            misfits.append(name)
        else:
            terms, sizes = solved
            vague += terms.count("*,") + terms.endswith("*")
    return Match(layout, held, lacking, tuple(misfits), sizes, vague, dense)


def fits_bits(match: Match, bits: int) -> bool:
    """Whether the same parts fit numbers of so many bits; what is known of the dense shape counts."""
    return not _fit(match.layout, match.parts, match.lacking, {"b": bits}, match.dense).misfits


def with_bits(match: Match, bits: int) -> Match:
    """The same parts read as numbers of so many bits, where they fit these as well."""
    made = _fit(match.layout, match.parts, match.lacking, {"b": bits}, match.dense)
    return match if made.misfits else made


def solved_part(layout: Layout, name: str, family: Family, sizes: Sizes) -> Sizes | None:
    """What is known once this tensor is that part of the layout; None where its dtype or shape says otherwise."""
    if family.shape is None or family.dtype not in layout.dtypes(name):
        return None
    solved = _solved(layout, name, family.shape, sizes)
    return None if solved is None else solved[1]


def _solved(layout: Layout, name: str, shape: Shape, sizes: Sizes) -> tuple[str, Sizes] | None:
    for terms in layout.shapes(name):
        solved = solve(terms, shape, sizes)
        if solved is not None:
            return terms, solved
    return None


def _is_sign(match: Match, parts: Parts, prefer: Collection[str]) -> bool:
    """Whether this much is enough to speak of the layout."""
    weight = match.packed
    if weight is None:
        dense = parts.get("weight")
        own = [name for name in match.parts if name not in _PLAIN]
        return bool(own) and (dense is None or is_packed(dense.dtype))
    if len(match.parts) > 1 or match.layout.name in prefer:
        return is_packed(weight.dtype) or weight.dtype is None or len(match.parts) > 1
    return match.layout.alone and is_packed(weight.dtype) and not match.misfits


def _rank(match: Match, prefer: Collection[str]) -> tuple[bool, int, bool, int, int, int, bool]:
    explained = len(match.parts) - len(match.misfits)
    fitting = match.layout.packed in match.parts and match.layout.packed not in match.misfits
    likely = match.layout.name in prefer
    return match.whole, explained, fitting, likely, -len(match.misfits), -len(match.lacking), not match.vague
