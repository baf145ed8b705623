"""The names and shapes of tensors, as a file holds them."""

from __future__ import annotations

from msgspec import Struct

Shape = tuple[int, ...]
Axes = tuple[tuple[int, ...], ...]


class TensorPart(Struct, frozen=True):
    """A block of a tensor that lies in several pieces: its corner and shape in the whole, and its bytes."""

    file: str
    begin: int
    end: int
    corner: Shape
    shape: Shape


class TensorRecord(Struct, frozen=True):
    """One tensor as its file states it; `begin`/`end` are absolute byte offsets in `file`, end exclusive.

    Several records may share bytes: views of one storage.
    """

    name: str
    dtype: str  # as safetensors spells it; a format's own word for what safetensors cannot hold
    shape: Shape
    file: str
    begin: int
    end: int
    strides: Shape | None = None  # in elements; None: row by row without gaps, from `begin` to `end`
    parts: tuple[TensorPart, ...] = ()  # where it lies in several pieces; `begin` and `end` then say nothing


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


UNDER = "under a key of type "  # a `StoredValue.kind`, with the type: what stands under no text


class StoredValue(Struct, frozen=True):
    """What a file holds under a name and is no dense tensor: a number, a text, a nested dict, a sparse tensor.

    `name` is empty where the file holds one thing only, and no names at all.
    """

    name: str
    kind: (
        str  # the word of Python for its type: int, str, dict, collections.OrderedDict, ...; "sparse tensor" and so on
    )
    file: str
    comes_first: bool = False  # before any tensor of floating-point numbers
    families: tuple[Family, ...] = ()  # the tensors inside, named from there on

    @property
    def is_named(self) -> bool:
        """Whether it stands under a name among those of the tensors, and is none."""
        return bool(self.name) and not self.kind.startswith(UNDER) and not self.kind.lower().endswith("tensor")
