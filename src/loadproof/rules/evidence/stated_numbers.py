"""Numbers of the declaration that the stored shapes contradict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.quantization_scheme import Number, Scheme
from loadproof.quantization.census import Module
from loadproof.quantization.recognise import fits_bits, with_bits
from loadproof.quantization.terms import fits
from loadproof.rules.evidence.survey import Survey

Schemed = tuple[Module, Scheme]


class Wrong(Struct, frozen=True):
    """A stated number, and the modules that say otherwise."""

    number: Number
    modules: tuple[Module, ...]
    whole: bool  # whether no module of the same scheme agrees with it


def schemed(found: Survey) -> list[Schemed]:
    """Whole modules of layouts that the declared method reads, each with its scheme."""
    if found.declaration is None:
        return []
    declaration, pairs = found.declaration, []
    for module in found.census.packed:
        scheme = declaration.scheme_of(module)
        known = module.match is not None and module.match.whole and module.match.layout.name in declaration.layouts
        if scheme is not None and known and any(f.shape is not None for f in module.parts.values()):
            pairs.append((_in_bits(module, scheme), scheme))
    return pairs


def _in_bits(module: Module, scheme: Scheme) -> Module:
    """Where shapes fit several numbers of bits, the declared one counts."""
    bits = scheme.bits.value if scheme.bits is not None else None
    if module.match is None or not isinstance(bits, int) or bits not in module.match.layout.bits:
        return module
    return replace(module, match=with_bits(module.match, bits))


def wrong_groups(found: Survey) -> Iterator[Wrong]:
    """Group sizes that do not cut the rows into as many groups as there are scales."""
    if not any(wrong_bits(found)):  # by other bits the rows have another length
        yield from _wrong(schemed(found), lambda s: s.group, _group_differs)


def wrong_blocks(found: Survey) -> Iterator[Wrong]:
    """Block sizes that do not give the stored grid of scales."""
    yield from _wrong(schemed(found), lambda s: s.block, _block_differs)


def wrong_bits(found: Survey) -> Iterator[Wrong]:
    yield from _wrong([pair for pair in schemed(found) if _decides_bits(pair[0])], lambda s: s.bits, _bits_differ)


def _decides_bits(module: Module) -> bool:
    """Whether the shapes fit one number of bits only: without the dense shape 4 and 8 often look alike."""
    match = module.match
    return match is not None and sum(fits_bits(match, bits) for bits in match.layout.bits) == 1


def _wrong(pairs: Sequence[Schemed], field: Any, differs: Any) -> Iterator[Wrong]:
    stated: dict[int, tuple[Number, list[Module], list[Module]]] = {}
    for module, scheme in pairs:
        number = field(scheme)
        if number is not None:
            _, wrong, right = stated.setdefault(id(scheme), (number, [], []))
            (wrong if differs(number.value, module) else right).append(module)
    yield from (Wrong(number, tuple(wrong), not right) for number, wrong, right in stated.values() if wrong)


def _group_differs(value: Any, module: Module) -> bool:
    sizes = module.match.sizes if module.match is not None else {}
    if "I/g" not in sizes or "I" not in sizes or (value is not None and not isinstance(value, int)):
        return False
    return not fits(-1 if value is None else value, sizes["I"], sizes["I/g"])


def _block_differs(value: Any, module: Module) -> bool:
    sizes = module.match.sizes if module.match is not None else {}
    scaled = module.match is not None and any(part.startswith("weight_scale") for part in module.match.parts)
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(n, int) for n in value):
        return scaled and value is None and "O/n" in sizes and (sizes["O/n"], sizes["I/k"]) != (1, 1)
    if "O/n" not in sizes:
        return scaled and module.match is not None and "weight_scale_inv" in module.match.parts
    return not (fits(value[0], sizes["O"], sizes["O/n"]) and fits(value[1], sizes["I"], sizes["I/k"]))


def _bits_differ(value: Any, module: Module) -> bool:
    match = module.match
    if match is None or not isinstance(value, int) or value not in match.layout.bits or len(match.layout.bits) < 2:
        return False
    return not fits_bits(match, value)


def numbers_in(modules: Iterable[Module], size: str) -> list[int]:
    """The different values of one size, ascending."""
    return sorted({m.match.sizes[size] for m in modules if m.match is not None and size in m.match.sizes})
