"""The model under an adapter."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Base(Struct, frozen=True):
    """Its config.json is all that is needed."""

    named: str = ""  # base_model_name_or_path
    path: str | None = None  # the folder that holds config.json; None where none was found
    how: str = ""  # how it was found: --base, base_model_name_or_path, hub cache
    raw: dict[str, Any] = {}
    why: str = ""  # why there is none
