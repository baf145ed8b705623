"""Evaluated values as plain JSON-like data."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.gate import find, has, state
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Open
from loadproof.interpret.release.model_values import dumped
from loadproof.interpret.release.pydantic_models import BaseModel
from loadproof.interpret.shapes.dtypes import DType, name_of

# Numbers and text as themselves: an evaluated subclass would bring its own `__eq__` into our rules.
_EXACT: tuple[tuple[type, Any], ...] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))


def text(value: Any) -> str:
    """`str(value)`, never an instance of an evaluated subclass of str."""
    return str.__str__(str(value))


def plain(value: Any) -> Any:
    """dict, list, numbers, text and None as they are; configurations as dictionaries; unknown values are left out."""
    if isinstance(value, DType):
        return name_of(value)
    if isinstance(value, BaseModel):
        return plain(dumped(value))
    if isinstance(value, Open) and has(value, "attribute_map"):
        return _config(value)
    if isinstance(value, dict):
        return {text(k): plain(v) for k, v in value.items() if not isinstance(v, Unknown)}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(v) for v in value), key=repr)  # the order of a set changes from process to process
    if value is None or isinstance(value, bool):
        return value
    for kind, exact in _EXACT:
        if isinstance(value, kind):
            return exact(value)
    return str(type(value).__name__)


def _config(config: Any) -> dict[str, Any]:
    out = {k: plain(v) for k, v in state(config).items() if not k.startswith("_") and not isinstance(v, Unknown)}
    out.setdefault("model_type", find(type(config), "model_type", ""))
    return out
