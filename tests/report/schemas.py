"""The published schemas, and the same closed: what we write is described, whole; what readers may meet is open."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

_DOCS = Path(__file__).parents[2] / "docs"
_OPEN = ("operations",)  # each operation has fields of its own


@cache
def closed(name: str) -> jsonschema.Draft202012Validator:
    """A validator of ``report`` or ``results`` that refuses fields which the schema does not describe."""
    return jsonschema.Draft202012Validator(_closed(json.loads((_DOCS / f"{name}.v1.schema.json").read_text())))


def _closed(schema: Any, name: str = "") -> Any:
    if isinstance(schema, list):
        return [_closed(one, name) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _closed(one, name if key == "items" else key) for key, one in schema.items()}
    is_object = isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema
    return inner | ({"additionalProperties": False} if is_object and name not in _OPEN else {})
