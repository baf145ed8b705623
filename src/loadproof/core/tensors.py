"""The names and shapes of tensors, as a file holds them."""

from __future__ import annotations

from msgspec import Struct

Shape = tuple[int, ...]
Axes = tuple[tuple[int, ...], ...]


class TensorRecord(Struct, frozen=True, gc=False):
    """One tensor as its file header states it; `begin`/`end` are absolute byte offsets in `file`."""

    name: str
    dtype: str
    shape: Shape
    file: str
    begin: int
    end: int


class Family(Struct, frozen=True):
    """Tensors that differ only in their indices. `shape`/`dtype` are None when only names are known."""

    template: str
    axes: Axes
    dtype: str | None
    shape: Shape | None
    files: tuple[str, ...] = ()  # the files that hold members, sorted


class Duplicate(Struct, frozen=True):
    """One tensor name stored in several files; the last file of the tuple is the one kept (string sort)."""

    name: str
    files: tuple[str, ...]
