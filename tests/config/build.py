"""Small helpers: a folder with these files, as the config stage gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loadproof.core.checkpoint import FileInfo, Inventory
from loadproof.core.config import ModelConfig
from loadproof.formats import StoredCheckpoint
from loadproof.storage import open_folder

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 1,
    "vocab_size": 16,
}


def folder(path: Path, files: dict[str, bytes | str | dict[str, Any]]) -> StoredCheckpoint:
    """Write the files and list them."""
    for name, content in files.items():
        data = json.dumps(content) if isinstance(content, dict) else content
        (path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    infos = tuple(FileInfo(item.name, item.lstat().st_size, "json") for item in sorted(path.iterdir()))
    return StoredCheckpoint(open_folder(str(path)), Inventory(str(path), infos))


def config_of(path: Path, content: bytes | str | dict[str, Any], **companions: dict[str, Any]) -> ModelConfig:
    """The config read from a folder with this config.json and these ``NAME.json`` beside it."""
    files: dict[str, bytes | str | dict[str, Any]] = {"config.json": content}
    files |= {f"{name}.json": value for name, value in companions.items()}
    return folder(path, files).config


def found(config: ModelConfig) -> list[tuple[str, str, str]]:
    """(code, kind, severity) of every problem."""
    return [(problem.code, problem.detail, problem.severity) for problem in config.problems]
