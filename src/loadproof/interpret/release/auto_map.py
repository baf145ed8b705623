"""Whether a config names classes of the repository's own (`auto_map`)."""

from __future__ import annotations

from typing import Any


def has_code(raw: dict[str, Any]) -> bool:
    auto_map = raw.get("auto_map")
    return isinstance(auto_map, dict) and "AutoConfig" in auto_map


def is_asked_for(class_name: str | None, raw: dict[str, Any]) -> bool:
    """Whether a class was named as auto_map names it, ``module.Class``: the repository's own, whatever the release has."""
    entries = raw["auto_map"].values() if has_code(raw) else ()
    return class_name is not None and "." in class_name and class_name in [e for e in entries if isinstance(e, str)]


def named_class(class_name: str | None, raw: dict[str, Any]) -> str:
    """Name of the class that is built from such code, as far as it is stated."""
    if class_name:
        return class_name.rpartition(".")[2]
    names = raw.get("architectures")
    return str(names[0]) if isinstance(names, list) and names else ""
