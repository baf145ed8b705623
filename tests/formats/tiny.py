"""Tiny checkpoints on disk."""

from __future__ import annotations

import json
from pathlib import Path

from loadproof.core.checkpoint import Inventory, Manifest, Problem
from loadproof.formats import checkpoint_at
from tests.hostile.making import data, st
from tests.hostile.selecting import select

INDEX = "model.safetensors.index.json"


def shard(tensors: dict[str, list[int]], **metadata: str) -> bytes:
    """A healthy BF16 file; `tensors` maps names to shapes."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"} | metadata}
    at = 0
    for name, shape in tensors.items():
        size = 2
        for dim in shape:
            size *= dim
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return st(header, data(at))


def write_shards(folder: Path, shards: dict[str, dict[str, list[int]]], **index: object) -> Path:
    """Shards and their index; `index` overrides its fields."""
    weight_map, total = {}, 0
    for file, tensors in shards.items():
        (folder / file).write_bytes(shard(tensors))
        weight_map |= dict.fromkeys(tensors, file)
        total += sum(2 * n for shape in tensors.values() for n in [_product(shape)])
    fields = {"metadata": {"total_size": total}, "weight_map": weight_map} | index
    (folder / INDEX).write_text(json.dumps(fields, indent=2))
    return folder


def _product(shape: list[int]) -> int:
    size = 1
    for dim in shape:
        size *= dim
    return size


def read(folder: Path, names_only: bool = False) -> Manifest:
    checkpoint = checkpoint_at(str(folder))
    return checkpoint.manifest(select(checkpoint.inventory), names_only)


def read_all(folder: Path, names_only: bool = False) -> tuple[Inventory, Manifest, dict[str, Problem]]:
    """Inventory, manifest and the first problem of each code."""
    checkpoint = checkpoint_at(str(folder))
    manifest = checkpoint.manifest(select(checkpoint.inventory), names_only)
    problems = checkpoint.inventory.problems + manifest.problems
    return checkpoint.inventory, manifest, {problem.code: problem for problem in reversed(problems)}
