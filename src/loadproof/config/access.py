"""Reaching into a config: a path of keys, and the nested config that describes the language model."""

from __future__ import annotations

from typing import Any

from loadproof.core.config import JsonPath, ModelConfig

# Where composite configs keep the decoder, in the order in which transformers looks (`get_text_config`).
TEXT_KEYS = ("text_config", "llm_config", "language_config", "thinker_config", "decoder", "generator", "text_encoder")
_DEPTH_FIELDS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "hidden_size", "n_embd", "d_model")


def get(config: ModelConfig, path: JsonPath, default: Any = None) -> Any:
    """The value at `path`, `default` if any step of it is absent."""
    value: Any = config.raw
    for step in path:
        if not isinstance(value, (dict, list)):
            return default
        try:
            value = value[step]  # type: ignore[index]  # the wrong kind of step is a TypeError, caught here
        except (KeyError, IndexError, TypeError):
            return default
    return value


def text_config_path(config: ModelConfig) -> JsonPath:
    """Path of the (nested) config that carries the decoder's dimensions; ``()`` for a flat config.

    Nested text configs are followed at most four deep (thinker_config.text_config and the like).
    """
    path: JsonPath = ()
    value: Any = config.raw
    for _ in range(4):
        key = next((key for key in TEXT_KEYS if _is_config(value, key)), None)
        if key is None:
            return path
        path, value = (*path, key), value[key]
    return path


def _is_config(value: Any, key: str) -> bool:
    inner = value.get(key) if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return False
    return key in TEXT_KEYS[:4] or any(field in inner for field in _DEPTH_FIELDS)


def text_config(config: ModelConfig) -> dict[str, Any]:
    """The config at `text_config_path`."""
    value = get(config, text_config_path(config), {})
    return value if isinstance(value, dict) else {}
