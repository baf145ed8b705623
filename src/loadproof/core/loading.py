"""What transformers does with names on the way from files to parameters: nobody else's business."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Operation(Struct, frozen=True):
    """One step of a weight converter as the release defines it; `arguments` holds dim, dim0, dim1, check_dims, ..."""

    name: str
    arguments: dict[str, Any] = {}


class ConversionRule(Struct, frozen=True):
    """A renaming or conversion rule of the reader, in application order."""

    kind: str  # WeightRenaming, WeightConverter, PrefixChange, GroupWeightRename, ...
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    regex: str  # one pattern, named groups g0, g1, ... one per source
    scope: str | None = None
    base: str | None = None
    offset: int | None = None
    operations: tuple[Operation, ...] = ()


class Loading(Struct, frozen=True, tag="transformers"):
    """The name patterns that a class is lenient about, and its renaming and conversion rules."""

    ignore_missing: tuple[str, ...] = ()
    ignore_unexpected: tuple[str, ...] = ()
    ignore_on_save: tuple[str, ...] = ()
    rules: tuple[ConversionRule, ...] = ()
