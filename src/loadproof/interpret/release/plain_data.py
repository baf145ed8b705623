"""Evaluated values as plain JSON-like data."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.objects import Open, Unknown
from loadproof.interpret.shapes.tensor import DType


def plain(value: Any) -> Any:
    """dict, list, numbers, text and None as they are; configurations as dictionaries; unknown values are left out."""
    if isinstance(value, Open) and hasattr(value, "attribute_map"):
        return _config(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if not isinstance(v, Unknown)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value._name if isinstance(value, DType) else str(type(value).__name__)


def _config(config: Any) -> dict[str, Any]:
    out = {k: plain(v) for k, v in config.__dict__.items() if not k.startswith("_") and not isinstance(v, Unknown)}
    out.setdefault("model_type", getattr(type(config), "model_type", ""))
    return out
