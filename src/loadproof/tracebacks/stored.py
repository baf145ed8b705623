"""What a checked checkpoint says about the names of an error text: stored tensors, config fields, layer kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from loadproof.core.case import Case
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about
from loadproof.core.tensors import Family

_LAYERS = ("layers.", "h.", "blk.", "blocks.", "layer.")
_LETTERS = {"linear_attention": "linear attention", "full_attention": "full attention"}


def field(case: Case, *names: str) -> Any:
    """The first of these config fields that is set, in text_config first, then at the top."""
    raw = case.config.raw
    nested = raw.get("text_config")
    for part in (nested if isinstance(nested, dict) else {}, raw, case.expectation.config):
        for name in names:
            if part.get(name) is not None:
                return part[name]
    return None


def depth(case: Case) -> int | None:
    """num_hidden_layers as the config states it."""
    value = field(case, "num_hidden_layers", "n_layer", "num_layers")
    return value if isinstance(value, int) else None


def stored(case: Case, pattern: str) -> Iterator[Family]:
    """Stored families whose template matches."""
    expression = re.compile(pattern)
    return (family for family in case.manifest.families if expression.search(family.template))


def sample(case: Case, pattern: str) -> Evidence | None:
    """One stored family that matches, as evidence."""
    family = next(stored(case, pattern), None)
    if family is None:
        return None
    size = f" {family.dtype} {list(family.shape)}" if family.shape is not None else ""
    return Evidence(held_in(family.files), show(family.template, family.axes) + size)


def held_in(files: Sequence[str]) -> Place:
    """The first of these files; no name where they are not known."""
    return Place(files[0]) if files else about("checkpoint")


def layer_evidence(case: Case, layer: int, mixer: str) -> list[Evidence]:
    """What config and tensors say about one layer: its kind, and how many tensors of the mixer it holds."""
    evidence = []
    plan = case.config_plan
    if plan is not None and layer < len(plan.words) and plan.words[layer]:
        evidence.append(
            Evidence(
                plan.where if plan.where.file else Place("config.json"),
                f"{plan.field or 'layer plan'}[{layer}] = {plan.words[layer]!r}",
            )
        )
    total, files = tensors_in_layer(case, layer, mixer)
    if total:
        evidence.append(Evidence(held_in(files), f"layer {layer} holds {total} {mixer} tensors"))
    return evidence


def tensors_in_layer(case: Case, layer: int, mixer: str) -> tuple[int, tuple[str, ...]]:
    """How many tensors of a layer have this word in their name, and in which files."""
    total = 0
    files: dict[str, None] = {}
    for family in case.manifest.families:
        at = _layer_axis(family)
        if at is None or layer not in family.axes[at] or mixer not in family.template.split("."):
            continue
        total += count(family.axes) // len(family.axes[at])
        files.update(dict.fromkeys(family.files))
    return total, tuple(files)


def _layer_axis(family: Family) -> int | None:
    pieces = family.template.split("{}")
    return next((at for at, piece in enumerate(pieces[:-1]) if piece.endswith(_LAYERS)), None)


def layer_agrees(case: Case, layer: int) -> bool:
    """Whether the plan read from the config and the plan read from the tensors say the same of this layer."""
    config, tensors = case.config_plan, case.tensor_plan
    if config is None or tensors is None:
        return True
    words = [plan.words[layer] if layer < len(plan.words) else None for plan in (config, tensors)]
    return None in words or words[0] == words[1]


def stages(layers: int, ranks: int) -> list[int]:
    """First layer of each pipeline stage for an even cut (the later stages but the last take the remainder)."""
    sizes = [layers // ranks] * ranks
    for extra in range(layers % ranks):
        sizes[-(extra + 2)] += 1
    return [sum(sizes[:rank]) for rank in range(ranks)]
