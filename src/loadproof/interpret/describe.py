"""A built shape-only model as an `Expectation`: families, ties, ignore lists, buffers, rules, effective configuration."""

from __future__ import annotations

from typing import Any

from loadproof.core.expectation import Expected
from loadproof.core.families import fold
from loadproof.core.loading import Loading
from loadproof.core.tensors import Shape
from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.gate import find
from loadproof.interpret.language.values import Value
from loadproof.interpret.release.conversion_rules import rules_of
from loadproof.interpret.release.model_base import tie_map
from loadproof.interpret.release.plain_data import plain, text
from loadproof.interpret.release.ports import World
from loadproof.interpret.shapes.tensor import Tensor


def describe(world: World, model: Any) -> dict[str, Any]:
    """The fields of an Expectation that come from the model. Raises UnknownUsed when a shape is not known."""
    ties = tie_map(model)
    parameters = _parameters(model, ties)
    buffers = dict(model.named_buffers(remove_duplicate=False, persistent_only=True))
    rows = [(name, (_shape(name, p), "parameter")) for name, p in parameters.items()]
    rows += [(name, (_shape(name, b), "buffer")) for name, b in buffers.items()]
    sources = {name: _source(tensor) for name, tensor in (*parameters.items(), *buffers.items())}
    names = (name for name, _ in model.named_buffers(remove_duplicate=False))
    return {
        "class_name": type(model).__name__,
        "families": tuple(_family(t, axes, key, sources) for t, axes, key in fold(rows)),
        "ties": tuple((text(target), text(source)) for target, source in ties.items()),
        "base_model_prefix": text(model.base_model_prefix or ""),
        "buffer_names": tuple(dict.fromkeys(t for t, _, _ in fold((n, ()) for n in names))),
        "private": Loading(
            _patterns(find(model, "_keys_to_ignore_on_load_missing")),
            _patterns(find(model, "_keys_to_ignore_on_load_unexpected")),
            _patterns(find(model, "_keys_to_ignore_on_save")),
            rules_of(world, model),
        ),
        "config": plain(model.config),
        "parameters": len(rows),
    }


def _parameters(model: Any, ties: dict[str, str]) -> dict[str, Any]:
    """Name -> parameter; a tied one has the shape of what it is tied to."""
    found = dict(model.named_parameters(remove_duplicate=False))
    for target, source in ties.items():
        if source in found and target in found:
            found[target] = found[source]
    return found


def _shape(name: str, tensor: Value) -> Shape:
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    if shape is None:
        raise UnknownUsed(f"the shape of {name} is not known")
    return tuple(map(int, shape))


def _source(parameter: Any) -> str:
    file, line = parameter.source
    return f"{file}:{line}" if file and line else ""


def _family(template: str, axes: Any, key: Any, sources: dict[str, str]) -> Expected:
    from loadproof.core.families import join_name

    first = join_name(template, tuple(axis[0] for axis in axes))
    return Expected(template, axes, key[0], key[1], source=sources.get(first, ""))


def _patterns(patterns: Any) -> tuple[str, ...]:
    return tuple(sorted(text(p) for p in patterns or ()))
