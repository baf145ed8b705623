"""Lists of modules that a quantizer leaves alone, as the stored tensors want them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loadproof.config.skip_list import SkipList
from loadproof.core.boxes import subtract_all
from loadproof.core.families import HOLE, count, names_of
from loadproof.core.tensors import Axes
from loadproof.lexicon.ends import EMBEDDINGS
from loadproof.quantization.census import Module

MOST_ENTRIES = 5_000  # that a list is made to hold


def covered(module: Module, skips: SkipList) -> tuple[list[Axes], list[Axes]]:
    """(indices of the module that the list leaves alone, the others)."""
    left = subtract_all([module.axes], [box for _, box in skips.kept(module.template, module.axes)])
    return subtract_all([module.axes], left), left


def entries_for(dense: Iterable[Module], packed: Sequence[Module], skips: SkipList) -> list[str] | None:
    """Entries that name these dense modules and none of the packed ones; None where that takes too many."""
    made: list[str] = []
    for module in map(as_stack, dense):
        if module.template.rpartition(".")[2] in EMBEDDINGS or any(
            skips.names(entry, module.template) for entry in made
        ):
            continue
        entry = next((e for e in _short(module, skips) if not any(_names_some(skips, e, p) for p in packed)), None)
        made += [entry] if entry is not None else _spelled(module)
        if len(made) > MOST_ENTRIES:
            return None
    return list(dict.fromkeys(made))


def as_stack(module: Module) -> Module:
    """The module that the release has in place of experts one by one: quantizers go by that one's name."""
    stack, one_by_one, _ = module.template.rpartition(".{}.")
    if not one_by_one or not stack.endswith(".experts"):
        return module
    return replace(module, template=stack, axes=module.axes[:-1])


def _short(module: Module, skips: SkipList) -> Iterator[str]:
    """One entry for all indices of a module, from the safest to the last that can be tried."""
    if not module.axes:
        yield module.template
        return
    tail = module.template.rpartition(f"{HOLE}.")[2]
    if skips.method == "compressed-tensors":
        yield rf"re:.*\.{re.escape(tail)}$"
    elif "." in tail:
        yield tail


def _spelled(module: Module) -> list[str]:
    return list(names_of(module.template, module.axes)) if count(module.axes) <= MOST_ENTRIES else [""] * MOST_ENTRIES


def _names_some(skips: SkipList, entry: str, module: Module) -> bool:
    only = SkipList(skips.method, skips.path, (entry,), True, skips.boundary)
    return any(True for _ in only.kept(module.template, module.axes))
