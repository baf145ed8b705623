"""How rules show modules of a quantized file, and which reported names lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from loadproof.core.boxes import intersect, merge, subtract_all
from loadproof.core.case import Case
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.core.severity import Severity
from loadproof.core.tensors import Axes, Family
from loadproof.quantization.census import BEHIND, Module
from loadproof.rules.evidence.wording import shape_text


def number_of_modules(modules: Iterable[Module]) -> int:
    return sum(module.number for module in modules)


def has_own_names(module: Module) -> bool:
    """Whether its layout is one of transformers and stores companions under names of its own.

    bitsandbytes leaves the names of a dense model: that is another fault (LP607) than a declaration that is lost (LP601).
    """
    match = module.match
    if match is None or not match.layout.methods or "bitsandbytes" in match.layout.methods:
        return False
    return len(match.parts) > 1


def shown(module: Module, part: str) -> str:
    """``model.layers.{0-3}.mlp.up_proj.weight F8_E4M3 [96, 64]``."""
    family = module.parts[part]
    return f"{show(module.name_of(part), module.axes)} {family.dtype or ''} {shape_text(family.shape)}"


def line(module: Module, part: str, more: str = "") -> Evidence:
    """A stored part of a module, with the files that hold it."""
    return Evidence(in_files(module.parts[part].files[:2], 2), shown(module, part) + more)


def weight_part(module: Module) -> str:
    """The part that holds the weight, packed or dense; any part where the weight is lost."""
    packed = module.match.packed if module.match is not None else None
    named = next((name for name, family in module.parts.items() if family is packed), None)
    return named or ("weight" if "weight" in module.parts else next(iter(module.parts)))


def scale_part(module: Module) -> str | None:
    """The part that holds the scales of the weight."""
    match = module.match
    scale = match.parts.get(match.layout.scale) if match is not None else None
    return next((name for name, family in module.parts.items() if scale is not None and family is scale), None)


def rows_in(rows: Iterable[Row], modules: Sequence[Module]) -> tuple[Row, ...]:
    """The reported names that lie in these modules, cut to their indices."""
    boxes: dict[str, list[Axes]] = {}
    for module in modules:
        boxes.setdefault(module.template, []).append(module.axes)
        stack, one_by_one, _ = module.template.rpartition(".{}.")
        if one_by_one and stack.endswith(".experts"):  # the model holds them stacked
            boxes.setdefault(stack, []).append(module.axes[:-1])
    return tuple(part for row in rows for part in _parts(row, boxes))


def _parts(row: Row, boxes: dict[str, list[Axes]]) -> list[Row]:
    held = _held(row.template, boxes) or _held(row.stored or "", boxes)
    if held is None:
        return []
    if any(len(axes) != len(row.axes) for axes in held):
        return [row]
    common = {intersect(row.axes, axes) for axes in held}
    found = merge(disjoint(axes for axes in common if axes is not None))
    return [replace(row, axes=axes) for axes in found]


def disjoint(boxes: Iterable[Axes]) -> list[Axes]:
    """The same members, each in one box only."""
    found: list[Axes] = []
    for box in boxes:
        found += subtract_all([box], found)
    return found


def _held(name: str, boxes: dict[str, list[Axes]]) -> list[Axes] | None:
    """The boxes of the module that a name lies in; stacked experts have no dot before their parts."""
    while name:
        if name in boxes:
            return boxes[name]
        stacked = next((name.removesuffix(end) for end in _BEHIND if name.endswith(end)), "")
        if stacked in boxes:
            return boxes[stacked]
        name = name.rpartition(".")[0]
    return None


_BEHIND = sorted(BEHIND, key=len, reverse=True)


def severity_of(case: Case, rows: Sequence[Row] = ()) -> Severity:
    """An error, unless the reader is known to load everything all the same: then it matters elsewhere."""
    outcome = case.outcome
    known = outcome.inconclusive is None and case.expectation.inconclusive is None
    harmless = known and not outcome.raises and not rows
    return "warning" if harmless else "error"


def families_by_module(families: Iterable[Family]) -> dict[tuple[str, int], list[Family]]:
    """Families by what stands before their last part."""
    found: dict[tuple[str, int], list[Family]] = {}
    for family in families:
        found.setdefault((family.template.rpartition(".")[0], len(family.axes)), []).append(family)
    return found
