"""Scales of a few modules in another shape than the rest of the file has."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from msgspec import Struct

from loadproof.config.quantization_scheme import Scheme
from loadproof.core.case import Case
from loadproof.core.tensors import Shape
from loadproof.quantization.census import Module
from loadproof.quantization.terms import shape_of
from loadproof.rules.evidence.quantized_modules import scale_part
from loadproof.rules.evidence.stated_numbers import Wrong, wrong_blocks, wrong_groups
from loadproof.rules.evidence.survey import Survey, survey


class OddScale(Struct, frozen=True):
    """A part of a module whose shape the reader does not take; `wanted` is the one it has to have, where that is known."""

    module: Module
    part: str
    wanted: Shape | None

    @property
    def is_flat(self) -> bool:
        """Whether only the dimensions are lost: the numbers stand in the order that they would have."""
        found = self.module.parts[self.part].shape
        if found is None or self.wanted is None or prod(found) != prod(self.wanted):
            return False
        return len(found) < 2 or tuple(n for n in found if n != 1) == tuple(n for n in self.wanted if n != 1)


def odd_scales(case: Case) -> list[OddScale]:
    """Parts that never have such a shape, and grids that most modules of the file contradict."""
    found = survey(case)
    return [*_misfits(found), *_grids(found)]


def is_of_config(wrong: Wrong, found: Survey) -> bool:
    """Whether most modules contradict the number: then it is wrong, and not they."""
    layout = wrong.modules[0].match.layout.name if wrong.modules[0].match is not None else ""
    return 2 * sum(module.number for module in wrong.modules) > found.census.of_layout()[layout]


def _misfits(found: Survey) -> Iterator[OddScale]:
    for module in found.census.packed:
        match = module.match
        for name in match.misfits if match is not None else ():
            part = next((p for p in module.parts if match and match.parts.get(name) is module.parts[p]), None)
            if part is not None and match is not None and name != match.layout.packed:
                yield OddScale(module, part, _wanted(found, module, name))


def _grids(found: Survey) -> Iterator[OddScale]:
    for wrong in (*wrong_blocks(found), *wrong_groups(found)):
        if is_of_config(wrong, found):
            continue
        for module in wrong.modules:
            part = scale_part(module)
            if part is not None and module.match is not None:
                yield OddScale(module, part, _wanted(found, module, module.match.layout.aliases.get(part, part)))


def _wanted(found: Survey, module: Module, name: str) -> Shape | None:
    """The shape by the declared block or group; the first that the sizes decide."""
    match, declaration = module.match, found.declaration
    scheme = declaration.scheme_of(module) if declaration is not None else None
    if match is None:
        return None
    stated = _stated(scheme) if scheme is not None else {}
    shapes = (shape_of(terms, {**match.sizes, **stated}) for terms in match.layout.shapes(name))
    return next((shape for shape in shapes if shape is not None), None)


def _stated(scheme: Scheme) -> dict[str, int]:
    block = scheme.block.value if scheme.block is not None else None
    group = scheme.group.value if scheme.group is not None else None
    sizes = {"g": group} if isinstance(group, int) and group > 0 else {}
    if isinstance(block, list) and len(block) == 2 and all(isinstance(n, int) and n > 0 for n in block):
        sizes |= {"n": block[0], "k": block[1]}
    return sizes
