"""The truth: the same class built by an installed library on the meta device.

Runs in the interpreter of whichever release is measured (4.57 to the newest), so nothing of loadproof is imported here,
and facts are plain JSON values.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import os
import warnings
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "critical")

TABLES = ("CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "PRETRAINING")
ENDINGS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")


def targets() -> list[tuple[str, str]]:
    """Every (model type, class) that generates, from the library's tables."""
    from transformers.models.auto import modeling_auto

    found = set()
    for table in TABLES:
        for model_type, classes in getattr(modeling_auto, f"MODEL_FOR_{table}_MAPPING_NAMES", {}).items():
            names = [classes] if isinstance(classes, str) else classes
            found |= {(model_type, name) for name in names if name.endswith(ENDINGS)}
    return sorted(found)


def default_config(model_type: str) -> dict[str, Any]:
    """All fields of the default configuration as plain data."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = _plain(CONFIG_MAPPING[model_type].from_dict({"model_type": model_type}).to_dict())
    assert isinstance(made, dict)
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (int, float, str, bool)) or value is None else str(value)


def build(model_type: str, name: str, raw: dict[str, Any]) -> Any:
    """The real model, its weights tied. Raises whatever the library raises."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    cls = getattr(transformers, name, None)
    if cls is None:
        module = CONFIG_MAPPING[model_type].__module__.replace("configuration_", "modeling_")
        cls = getattr(importlib.import_module(module), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = CONFIG_MAPPING[model_type].from_dict(copy.deepcopy(raw))
        text_part = getattr(config, "sub_configs", {}).get("text_config")
        if text_part is not None and cls.config_class == text_part:  # as AutoModelForCausalLM does (auto_factory.py)
            config = config.get_text_config()
        with contextlib.ExitStack() as stack:
            for context in _contexts():
                stack.enter_context(context)
            model = cls._from_config(config)
        if not hasattr(model, "all_tied_weights_keys"):  # release 4 ties what it loads once it stands
            model.tie_weights()
        return model


def _contexts() -> list[Any]:
    """In which `from_pretrained` builds a model (`get_init_context` of modeling_utils.py)."""
    import torch
    from transformers import modeling_utils

    if not hasattr(modeling_utils, "no_init_weights"):
        return [torch.device("meta")]
    if hasattr(modeling_utils.PreTrainedModel, "get_init_context"):  # late releases 4
        return [modeling_utils.no_init_weights(), modeling_utils.init_empty_weights()]
    return [modeling_utils.no_init_weights(), torch.device("meta")]


def facts(model: Any) -> dict[str, Any]:
    """What an expectation says, taken from the real model. Release 4 knows which names are `tied`, but not to what."""
    parameters = {n: list(p.shape) for n, p in model.named_parameters(remove_duplicate=False)}
    state = {n: list(t.shape) for n, t in model.state_dict().items() if hasattr(t, "shape")}
    ties = getattr(model, "all_tied_weights_keys", None)
    return {
        "parameters": parameters,
        "buffers": {n: s for n, s in state.items() if n not in parameters},
        **({"tied": shared_names(model)} if ties is None else {"ties": dict(ties)}),
        "ignore_on_save": sorted(model._keys_to_ignore_on_save or ()),
        "ignore_missing": sorted(model._keys_to_ignore_on_load_missing or ()),
        "ignore_unexpected": sorted(model._keys_to_ignore_on_load_unexpected or ()),
        "all_buffers": sorted({n for n, _ in model.named_buffers(remove_duplicate=False)}),
        "base_model_prefix": model.base_model_prefix,
        "rules": rules(model),
    }


def shared_names(model: Any) -> list[list[str]]:
    """Groups of names that are one parameter."""
    groups: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(parameter), []).append(name)
    return sorted(sorted(names) for names in groups.values() if len(names) > 1)


def rules(model: Any) -> list[dict[str, Any]]:
    """The library's own renaming and conversion rules, in order of application."""
    try:
        from transformers.conversion_mapping import get_model_conversion_mapping
    except ImportError:
        return _key_mapping(model)
    return [_rule(r) for r in get_model_conversion_mapping(model)]


def _key_mapping(model: Any) -> list[dict[str, Any]]:
    """`key_mapping` of release 4, chosen as `from_pretrained` chooses it (modeling_utils.py:4653 of 4.57.1)."""
    from transformers import modeling_utils

    names = [cls.__name__.lower() for cls in type(model).__mro__[:-1]]
    words = getattr(modeling_utils, "VLMS", ())  # not before 4.50
    mapping = model._checkpoint_conversion_mapping if any(word in n for word in words for n in names) else {}
    return [{"kind": "KeyMapping", "sources": [k], "targets": [v], "regex": k} for k, v in mapping.items()]


def _rule(rule: Any) -> dict[str, Any]:
    return {
        "kind": type(rule).__name__,
        "sources": list(rule.source_patterns),
        "targets": list(rule.target_patterns),
        "regex": rule.compiled_sources.pattern,
        "scope": getattr(rule, "scope_prefix", None),
        "base": getattr(rule, "base_model_prefix", None),
        "offset": getattr(rule, "offset", None),
        "operations": [[type(o).__name__, _plain(vars(o))] for o in getattr(rule, "operations", ())],
    }
