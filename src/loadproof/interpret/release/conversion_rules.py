"""The renaming and conversion rules of a built model, read from the release.

From 5.0 on the release's own `get_model_conversion_mapping` is evaluated on the shape-only model. Before, the rules are the
class's `_checkpoint_conversion_mapping` and the renames written into `_fix_state_dict_key_on_load`.
"""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.objects import SourceObject, Unknown
from loadproof.interpret.release.plain_data import plain
from loadproof.types import ConversionRule, Operation

_LOADING = "transformers.core_model_loading"


def rules_of(world: Any, model: Any) -> tuple[ConversionRule, ...]:
    """All rules in application order."""
    file = world.file(_LOADING)
    if file is None:
        return ()
    file.globals.setdefault("Future", type("Future", (SourceObject,), {}))
    file.globals.setdefault("log_conversion_errors", lambda *_, **__: Unknown("context"))
    collect = world.load("transformers.conversion_mapping", "get_model_conversion_mapping")
    return tuple(_rule(r) for r in collect(model))


def _rule(rule: Any) -> ConversionRule:
    return ConversionRule(
        kind=type(rule).__name__,
        sources=tuple(rule.source_patterns),
        targets=tuple(rule.target_patterns),
        regex=rule.compiled_sources.pattern,
        scope=rule.scope_prefix,
        base=rule.base_model_prefix,
        offset=getattr(rule, "offset", None),
        operations=tuple(_operation(o) for o in getattr(rule, "operations", ())),
    )


def _operation(operation: Any) -> Operation:
    return Operation(type(operation).__name__, {k: plain(v) for k, v in vars(operation).items()})
