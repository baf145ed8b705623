"""A built shape-only model as an `Expectation`: families, ties, ignore lists, buffers, rules, effective configuration."""

from __future__ import annotations

from typing import Any

from loadproof.core.dtypes import as_stored
from loadproof.core.expectation import Expected
from loadproof.core.families import fold
from loadproof.core.loading import Loading
from loadproof.core.tensors import Shape
from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.gate import find, state
from loadproof.interpret.language.values import Value
from loadproof.interpret.quantizing import never_random, unchecked
from loadproof.interpret.release.conversion_rules import rules_of
from loadproof.interpret.release.model_base import tie_map
from loadproof.interpret.release.plain_data import plain, text
from loadproof.interpret.release.ports import World
from loadproof.interpret.shapes.dtypes import name_of
from loadproof.interpret.shapes.tensor import Tensor


def describe(world: World, model: Any, quantizer: Any = None) -> dict[str, Any]:
    """The fields of an Expectation that come from the model. Raises UnknownUsed when a shape is not known.

    `quantizer` is the one that has changed the model already.
    """
    ties = tie_map(model)
    parameters = _parameters(model, ties)
    buffers = dict(model.named_buffers(remove_duplicate=False, persistent_only=True))
    loose = unchecked(quantizer, model) if quantizer is not None else frozenset()
    whole = never_random(model) if quantizer is not None else frozenset()
    rows = [(name, (*_key(name, p), "parameter", name in loose, name in whole)) for name, p in parameters.items()]
    rows += [(name, (*_key(name, b), "buffer", False, False)) for name, b in buffers.items()]
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
            rules_of(world, model, quantizer),
        ),
        "config": plain(model.config) if quantizer is None else _with_entry(plain(model.config), quantizer),
        "parameters": len(rows),
    }


def _parameters(model: Any, ties: dict[str, str]) -> dict[str, Any]:
    """Name -> parameter; a tied one has the shape of what it is tied to."""
    found = dict(model.named_parameters(remove_duplicate=False))
    for target, source in ties.items():
        if source in found and target in found:
            found[target] = found[source]
    return found


def _with_entry(config: dict[str, Any], quantizer: Any) -> dict[str, Any]:
    """The effective configuration with that of its quantizer as plain data."""
    return {**config, "quantization_config": plain(dict(state(quantizer.quantization_config)))}


def _key(name: str, tensor: Value) -> tuple[Shape, str | None]:
    own = tensor.own_dtype if isinstance(tensor, Tensor) else None
    return _shape(name, tensor), None if own is None else as_stored(name_of(own))


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
    shape, dtype, kind, any_shape, whole = key
    source = sources.get(first, "")
    return Expected(template, axes, shape, kind, None, source, dtype, any_shape, whole)


def _patterns(patterns: Any) -> tuple[str, ...]:
    return tuple(sorted(text(p) for p in patterns or ()))
