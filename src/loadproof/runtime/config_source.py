"""The layer words of a config given as an object, a dict, or a checkpoint folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from loadproof.config.plan.reading import plan_from_config
from loadproof.core.config import ModelConfig
from loadproof.runtime.errors import LayerPlanError


def words_of_config(config: Any) -> tuple[str, ...]:
    """One word per layer. Raises LayerPlanError when the config says nothing about mixers."""
    short = _index_set(config)
    if short is not None:
        return short
    plan = plan_from_config(model_config(config), None)
    if plan is None or any(word is None for word in plan.words):
        raise LayerPlanError(
            "this config does not say which layer holds which mixer (no layer_types, layers_block_type, "
            "full_attention_interval, linear_attn_config, ... ); use LayerPlan.from_checkpoint(...)"
        )
    return tuple(word or "" for word in plan.words)


def model_config(config: Any) -> ModelConfig:
    """A ModelConfig from a config object, a dict, or the path of a folder."""
    if isinstance(config, str | os.PathLike):
        from loadproof.formats import checkpoint_at

        return checkpoint_at(os.fspath(config)).config
    if isinstance(config, dict):
        raw = config
    else:
        to_dict: Callable[[], dict[str, Any]] | None = getattr(config, "to_dict", None)
        if to_dict is None and not hasattr(config, "__dict__"):
            raise TypeError(
                f"not a config: {type(config).__name__}; expected a config object, a dict or a checkpoint folder"
            )
        raw = to_dict() if to_dict is not None else vars(config)
    return ModelConfig(path=None, raw=dict(raw))


def _index_set(config: Any) -> tuple[str, ...] | None:
    """`linear_attn_layers` as an index set, the second spelling of the write-up."""
    if isinstance(config, str | os.PathLike):
        return None

    def get(name: str) -> Any:
        return config.get(name) if isinstance(config, dict) else getattr(config, name, None)

    layers, depth = get("linear_attn_layers"), get("num_hidden_layers") or get("num_layers")
    if layers is None or not isinstance(depth, int):
        return None
    chosen = set(layers)
    return tuple("linear_attn" if i in chosen else "full_attn" for i in range(depth))
