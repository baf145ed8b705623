"""`expect`: what a model class of one transformers release expects, read from its source text."""

from __future__ import annotations

import sys
from typing import Any

from loadproof.families import fold
from loadproof.interpret import faketorch as ft
from loadproof.interpret import source_world
from loadproof.types import ConversionRule, Expectation, Expected, ModelConfig, Operation


def expect(
    config: ModelConfig,
    folder: str,
    *,
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,
    use_cache: bool = True,
) -> Expectation:
    raw = config.raw
    model_type = str(raw.get("model_type", ""))
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 8000))
    world = source_world.World(source)
    world.enable_rules()
    version = world.load("transformers", "__version__") if False else _version(world.root)
    blank = Expectation("transformers", version, class_name or "", model_type, "installed")
    if model_type not in world.config_names():
        return _replace(blank, raises=f"unknown model_type {model_type!r}")
    name = class_name or _choose(world, raw, model_type)
    if name is None:
        return _replace(blank, inconclusive=f"no causal class for model_type {model_type!r}")
    try:
        model = source_world.build_model(world, name, source_world.build_config(world, model_type, raw))
        found = source_world.manifest_of(model)
        rules = tuple(rule_of(r) for r in world.rules(model))
    except Exception as exc:
        return _replace(blank, class_name=name, inconclusive=f"{type(exc).__name__}: {exc}")
    rows = [(n, (tuple(s), "parameter")) for n, s in found["params"].items()]
    rows += [(n, (tuple(s), "buffer")) for n, s in found["buffers"].items() if s is not None]
    families = tuple(Expected(t, a, k[0], k[1]) for t, a, k in fold(rows))
    buffers = [n for n, _ in model.named_buffers(remove_duplicate=False)]
    return _replace(
        blank,
        class_name=name,
        families=families,
        ties=tuple(found["ties"].items()),
        base_model_prefix=model.base_model_prefix,
        ignore_missing=tuple(found["ignore_on_load_missing"]),
        ignore_unexpected=tuple(found["ignore_on_load_unexpected"]),
        ignore_on_save=tuple(found["ignore_on_save"]),
        buffer_names=tuple(dict.fromkeys(t for t, _, _ in fold((n, ()) for n in buffers))),
        rules=rules,
        config=plain(model.config),
        parameters=len(rows),
    )


def _replace(expectation: Expectation, **fields: Any) -> Expectation:
    import msgspec

    return msgspec.structs.replace(expectation, **fields)


def _version(root: str) -> str:
    import os
    import re

    with open(os.path.join(root, "__init__.py"), encoding="utf-8") as f:
        found = re.search(r'^__version__ = "([^"]+)"', f.read(), re.M)
    return found.group(1) if found else ""


TABLES = ("CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "PRETRAINING")


def _choose(world: Any, raw: dict[str, Any], model_type: str) -> str | None:
    for name in raw.get("architectures") or ():
        if world.find_class(name) is not None:
            return str(name)
    for table in TABLES:
        m = world.module("transformers.models.auto.modeling_auto")
        key = f"MODEL_FOR_{table}_MAPPING_NAMES"
        if key in m.defs and model_type in (mapping := dict(m.resolve(key))):
            found = mapping[model_type]
            return str(found if isinstance(found, str) else found[0])
    return None


def plain(x: Any, depth: int = 0) -> Any:
    """Evaluated config -> plain JSON-like data."""
    if isinstance(x, dict):
        return {str(k): plain(v, depth + 1) for k, v in x.items() if not isinstance(v, ft.Unknown)}
    if isinstance(x, (list, tuple)):
        return [plain(v, depth + 1) for v in x]
    if hasattr(x, "attribute_map"):
        out = {k: plain(v, depth + 1) for k, v in x.__dict__.items() if not k.startswith("_") and not isinstance(v, ft.Unknown)}
        out.setdefault("model_type", getattr(type(x), "model_type", ""))
        return out
    return x if isinstance(x, (int, float, str, bool)) or x is None else str(x)


OP_ARGUMENTS_SKIPPED = ()


def rule_of(rule: Any) -> ConversionRule:
    return ConversionRule(
        kind=type(rule).__name__,
        sources=tuple(rule.source_patterns),
        targets=tuple(rule.target_patterns),
        regex=rule.compiled_sources.pattern,
        scope=rule.scope_prefix,
        base=rule.base_model_prefix,
        offset=getattr(rule, "offset", None),
        operations=tuple(operation_of(o) for o in getattr(rule, "operations", [])),
    )


def operation_of(operation: Any) -> Operation:
    return Operation(type(operation).__name__, {k: plain(v) for k, v in vars(operation).items()})
