"""The renaming and conversion rules of a built model, read from the release.

From 5.0 on the release's own `get_model_conversion_mapping` is evaluated on the shape-only model. Before, a class may state
a `_checkpoint_conversion_mapping`; `from_pretrained` uses it for the classes whose name holds a word of `VLMS`.
"""

from __future__ import annotations

from typing import Any

from loadproof.core.loading import ConversionRule, Operation
from loadproof.interpret.language.gate import find, read
from loadproof.interpret.language.objects import SourceObject, Unknown
from loadproof.interpret.language.values import Value, function_of, items_of
from loadproof.interpret.release.plain_data import plain
from loadproof.interpret.release.ports import World

_LOADING = "transformers.core_model_loading"


def rules_of(world: World, model: Value, quantizer: Value = None) -> tuple[ConversionRule, ...]:
    """All rules in application order; a quantizer adds its own and changes those of the model."""
    file = world.file(_LOADING)
    if file is None:
        return _key_mapping(world, model)
    file.globals.setdefault("Future", type("Future", (SourceObject,), {}))
    file.globals.setdefault("log_conversion_errors", lambda *_, **__: Unknown("context"))
    collect = function_of(world.load("transformers.conversion_mapping", "get_model_conversion_mapping"))
    return tuple(_rule(r) for r in items_of(collect(model) if quantizer is None else collect(model, None, quantizer)))


def _key_mapping(world: World, model: Any) -> tuple[ConversionRule, ...]:
    """One `KeyMapping` rule per pattern, in the order in which release 4 tries them; the first that matches is applied."""
    file = world.file("transformers.modeling_utils")
    words: Any = file.resolve("VLMS") if file is not None and file.defines("VLMS") else ()
    mapping = find(model, "_checkpoint_conversion_mapping") or {}
    names = [cls.__name__.lower() for cls in type(model).__mro__]  # modeling_utils.py:4653 of 4.57.1
    if not any(word in name for word in words for name in names):
        return ()
    return tuple(ConversionRule("KeyMapping", (k,), (v,), k) for k, v in mapping.items())


def _rule(rule: Any) -> ConversionRule:
    return ConversionRule(
        kind=type(rule).__name__,
        sources=tuple(rule.source_patterns),
        targets=tuple(rule.target_patterns),
        regex=rule.compiled_sources.pattern,
        scope=find(rule, "scope_prefix"),
        base=find(rule, "base_model_prefix"),
        offset=find(rule, "offset"),
        operations=tuple(_operation(o) for o in find(rule, "operations", ())),
    )


def _operation(operation: Value) -> Operation:
    given = read(operation, "__dict__")
    return Operation(type(operation).__name__, {k: plain(v) for k, v in given.items() if k != "hf_quantizer"})
