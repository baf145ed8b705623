"""The config as edits of its values would leave it, for asking what would follow; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from loadproof.core.config import ModelConfig
from loadproof.core.edits import DeleteJson, Edit, SetJson


def with_edits(config: ModelConfig, edits: Sequence[Edit]) -> ModelConfig:
    """The config after these edits of it. Missing parents are made; `text` stays, so lines are those of the file.

    Raises IndexError, KeyError or TypeError for a path that leads nowhere.
    """
    import copy  # seldom needed

    raw = copy.deepcopy(config.raw)
    for edit in edits:
        if not isinstance(edit, SetJson | DeleteJson):
            continue
        node: Any = raw
        for part in edit.path[:-1]:
            node = node.setdefault(part, {}) if isinstance(node, dict) else node[part]
        if isinstance(edit, SetJson):
            node[edit.path[-1]] = edit.value
        elif isinstance(node, dict):
            node.pop(edit.path[-1], None)
    return replace(config, raw=raw)
