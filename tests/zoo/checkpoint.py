"""A tiny checkpoint as plain data: a config, tensors without torch, and a writer of real safetensors files."""

from __future__ import annotations

import copy
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from loadproof.core.families import names_of

LAYOUTS = Path(__file__).parent / "layouts.jsonl"
SIZE = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
    "I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """`seed` decides the payload: two tensors of one seed and size hold equal bytes."""

    dtype: str
    shape: tuple[int, ...]
    seed: str

    @property
    def size(self) -> int:
        return prod(self.shape) * SIZE[self.dtype]

    def payload(self) -> bytes:
        # Bytes 1..62 keep every float type finite and away from zero-filled files.
        start = zlib.crc32(self.seed.encode())
        pattern = bytes(1 + (start >> (index % 24)) % (59 + index % 3) for index in range(48))
        return (pattern * (self.size // 48 + 1))[: self.size]


@dataclass(frozen=True)
class Checkpoint:
    """`config` None: no config.json. `shards`: number of files, or an explicit placement name -> file.

    `extra` are further files of the folder (name -> JSON value, text or bytes); `after` run on the written folder,
    for faults that only bytes on disk can show.
    """

    config: dict[str, Any] | None
    tensors: dict[str, Tensor]
    shards: int = 1
    placement: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    after: tuple[Callable[[Path], None], ...] = ()
    metadata: dict[str, str] | None = None  # of every weight file; None: what save_pretrained writes
    weights: str = "model.safetensors"  # name of the one weight file

    def mutate(self, *mutations: Callable[[Checkpoint], Checkpoint]) -> Checkpoint:
        made = self
        for mutation in mutations:
            made = mutation(made)
        return made

    def replace(self, **changes: Any) -> Checkpoint:
        return replace(self, **changes)

    def with_config(self, edit: Callable[[dict[str, Any]], None]) -> Checkpoint:
        config = copy.deepcopy(self.config or {})
        edit(config)
        return replace(self, config=config)

    def files(self) -> dict[str, list[str]]:
        """File name -> the tensors it holds, in order."""
        if self.shards == 1 and not self.placement:
            return {self.weights: sorted(self.tensors)}
        names = sorted(self.tensors, key=_natural)
        per_shard = -(-len(names) // self.shards)
        held: dict[str, list[str]] = {shard_name(k + 1, self.shards): [] for k in range(self.shards)}
        for position, name in enumerate(names):
            file = self.placement.get(name) or shard_name(position // per_shard + 1, self.shards)
            held.setdefault(file, []).append(name)
        return held

    def write(self, folder: Path) -> Path:
        """Write the folder and return it."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.config is not None:
            (folder / "config.json").write_text(json.dumps(self.config, indent=2) + "\n")
        held = self.files()
        for file, names in held.items():
            (folder / file).write_bytes(safetensors_bytes({name: self.tensors[name] for name in names}, self.metadata))
        if list(held) != [self.weights]:
            (folder / "model.safetensors.index.json").write_text(json.dumps(self._index(held), indent=2) + "\n")
        for name, content in self.extra.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_as_bytes(content))
        for act in self.after:
            act(folder)
        return folder

    def _index(self, held: dict[str, list[str]]) -> dict[str, Any]:
        total = sum(tensor.size for tensor in self.tensors.values())
        weight_map = {name: file for file, names in held.items() for name in names}
        return {"metadata": {"total_size": total}, "weight_map": weight_map}


def shard_name(number: int, total: int) -> str:
    return f"model-{number:05d}-of-{total:05d}.safetensors"


def safetensors_bytes(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """A whole safetensors file, header padded to 8 bytes as the official writer does."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"} if metadata is None else metadata}
    offset = 0
    for name, tensor in tensors.items():
        span = [offset, offset + tensor.size]
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": span}
        offset += tensor.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(tensor.payload() for tensor in tensors.values())


@cache
def layouts() -> dict[str, dict[str, Any]]:
    """The frozen layouts by name."""
    return {line["name"]: line for line in map(json.loads, LAYOUTS.read_text().splitlines())}


def names() -> list[str]:
    return list(layouts())


def build(name: str) -> Checkpoint:
    """The healthy checkpoint of this layout."""
    line = layouts()[name]
    tensors = {
        full: Tensor(dtype, tuple(shape), full)
        for template, axes, dtype, shape in line["families"]
        for full in names_of(template, tuple(map(tuple, axes)))
    }
    return Checkpoint(copy.deepcopy(line["config"]), tensors)


def _natural(name: str) -> list[tuple[int, Any]]:
    return [(0, int(part)) if part.isdigit() else (1, part) for part in name.split(".")]


def _as_bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return (json.dumps(content, indent=2) + "\n").encode()
