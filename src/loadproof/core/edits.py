"""Repairs as pure data."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from loadproof.core.config import JsonPath
from loadproof.core.tensors import Axes, Shape

Safety = Literal["lossless", "lossy", "manual"]


class RenameTensors(Struct, frozen=True, tag="rename-tensors"):
    """Header-only: (old template, new template, axes)."""

    pairs: tuple[tuple[str, str, Axes], ...]


class ReshapeTensors(Struct, frozen=True, tag="reshape-tensors"):
    """Header-only; the element count stays."""

    template: str
    axes: Axes
    shape: Shape


class DropTensors(Struct, frozen=True, tag="drop-tensors"):
    """Leave out; `file` limits it to one shard (duplicates)."""

    template: str
    axes: Axes
    file: str | None = None


class CopyTensor(Struct, frozen=True, tag="copy-tensor"):
    """Write a second copy under another name (materialise a tied head)."""

    source: str
    name: str


class TransposeTensors(Struct, frozen=True, tag="transpose-tensors"):
    template: str
    axes: Axes
    dims: tuple[int, int] = (0, 1)


class StackTensors(Struct, frozen=True, tag="stack-tensors"):
    """Per-expert tensors -> one packed tensor: templates (in order of concatenation at `concat_dim`) -> target."""

    sources: tuple[str, ...]
    axes: Axes  # of the sources; the last axis is stacked at dim 0
    target: str
    concat_dim: int | None = None


class SplitTensors(Struct, frozen=True, tag="split-tensors"):
    """One packed tensor -> per-expert tensors; inverse of StackTensors."""

    source: str
    axes: Axes
    targets: tuple[str, ...]
    concat_dim: int | None = None


class GraftTensors(Struct, frozen=True, tag="graft-tensors"):
    """Take tensors from another checkpoint folder (`donor`)."""

    donor: str
    pairs: tuple[tuple[str, Axes], ...]


class SetJson(Struct, frozen=True, tag="set-json"):
    file: str
    path: JsonPath
    value: Any


class DeleteJson(Struct, frozen=True, tag="delete-json"):
    file: str
    path: JsonPath


class RebuildIndex(Struct, frozen=True, tag="rebuild-index"):
    """Write the index anew from the shards' headers."""

    index: str
    files: tuple[str, ...]


class RegenerateHeader(Struct, frozen=True, tag="regenerate-header"):
    """Write a clean header (format metadata, padding, order) for the same tensors."""

    file: str
    metadata: dict[str, str] = {}


class TruncateFile(Struct, frozen=True, tag="truncate-file"):
    file: str
    size: int


class SetAside(Struct, frozen=True, tag="set-aside"):
    """Rename a stale file out of the reader's way; nothing is deleted."""

    file: str


class SaveAsSafetensors(Struct, frozen=True, tag="save-as-safetensors"):
    """The tensors of torch files, byte for byte, into safetensors files beside them; the torch files stay as they are."""

    pairs: tuple[tuple[str, str], ...]  # (torch file, safetensors file)
    key: str = ""  # the one below which the tensors lie; empty: the outermost dict
    index: str = ""  # of several files


Edit = (
    RenameTensors
    | ReshapeTensors
    | DropTensors
    | CopyTensor
    | TransposeTensors
    | StackTensors
    | SplitTensors
    | GraftTensors
    | SetJson
    | DeleteJson
    | RebuildIndex
    | RegenerateHeader
    | TruncateFile
    | SetAside
    | SaveAsSafetensors
)


class Fix(Struct, frozen=True):
    """A repair as pure data. `manual` fixes have no edits: `title` says what a person must do."""

    title: str
    safety: Safety
    edits: tuple[Edit, ...] = ()
    loss: str = ""  # for lossy ones: what is lost
