"""A model built with symbols in place of its configuration's integers, in this process."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import join_name
from loadproof.interpret import building
from loadproof.interpret.language.gate import has, state
from loadproof.interpret.language.values import Open
from loadproof.interpret.release.world import World
from loadproof.interpret.shapes.symbol import Symbol, text_of
from loadproof.interpret.shapes.tensor import Tensor


def add_symbols(expectation: Expectation, world: World, raw: dict[str, Any]) -> Expectation:
    """The expectation with its symbols; unchanged where the second evaluation fails."""
    try:
        with building.room_to_recurse():
            model = building.build(world, raw, expectation.model_type, expectation.class_name, symbolic)
            tensors = dict(model.named_parameters(remove_duplicate=False))
            tensors.update(model.named_buffers(remove_duplicate=False, persistent_only=True))
    except Exception:  # what fails only with symbols is no fault of the checkpoint
        return expectation
    families = tuple(_symbolic(family, tensors) for family in expectation.families)
    return structs.replace(expectation, families=families)


def symbolic(config: Any, prefix: str = "") -> None:
    """Replace every integer field of a built configuration by a `Symbol` with its dotted name, nested ones included."""
    fields = state(config)
    for key, value in list(fields.items()):
        if isinstance(value, Open) and has(value, "attribute_map"):
            symbolic(value, f"{prefix}{key}.")
        elif type(value) is int and not key.startswith("_") and "token" not in key:
            fields[key] = Symbol(value, prefix + key)


def _symbolic(family: Expected, tensors: dict[str, Any]) -> Expected:
    tensor = tensors.get(join_name(family.template, tuple(axis[0] for axis in family.axes)))
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    if shape is None or tuple(map(int, shape)) != family.shape:
        return family
    return structs.replace(family, symbols=tuple(map(text_of, shape)))
