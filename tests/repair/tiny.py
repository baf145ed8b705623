"""Tiny checkpoints for the repair tests: written byte by byte, so that every expectation is exact."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

from loadproof.formats import StoredCheckpoint

Spec = dict[str, tuple[str, tuple[int, ...], bytes]]
BYTES = {"U8": 1, "I8": 1, "F16": 2, "BF16": 2, "F32": 4, "I64": 8}


def tensor(dtype: str, *shape: int, seed: int = 0) -> tuple[str, tuple[int, ...], bytes]:
    """A tensor whose bytes all differ from those of another seed."""
    count = BYTES[dtype]
    for size in shape:
        count *= size
    return dtype, shape, bytes((i * 7 + seed * 31 + (i >> 8)) % 251 for i in range(count))


def shard_bytes(tensors: Spec, metadata: dict[str, str] | None = None, spare: int = 0, tail: bytes = b"") -> bytes:
    entries: dict[str, object] = {} if metadata is None else {"__metadata__": metadata}
    at = 0
    for name, (dtype, shape, data) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(entries, separators=(",", ":")).encode() + b" " * spare
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()) + tail


def read_shard(path: Path) -> Spec:
    """By the official reader."""
    import safetensors

    found = safetensors.deserialize(path.read_bytes())
    return {name: (info["dtype"], tuple(info["shape"]), bytes(info["data"])) for name, info in found}


def index_text(weight_map: dict[str, str], total: int) -> str:
    return json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map}, indent=2) + "\n"


def sharded(folder: Path, shards: dict[str, Spec], *, spare: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weight_map, total = {}, 0
    for file, tensors in shards.items():
        (folder / file).write_bytes(shard_bytes(tensors, {"format": "pt"}, spare))
        weight_map.update(dict.fromkeys(tensors, file))
        total += sum(len(data) for _, _, data in tensors.values())
    (folder / "model.safetensors.index.json").write_text(index_text(weight_map, total))
    (folder / "config.json").write_text('{\n  "model_type": "llama",\n  "vocab_size": 32\n}\n')


def checkpoint(folder: Path) -> StoredCheckpoint:
    from loadproof.formats import checkpoint_at

    return checkpoint_at(str(folder))


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones included; of a link that leads nowhere, where it leads."""
    paths = [Path(where, name) for where, _, names in os.walk(folder) for name in names]
    return {
        os.path.relpath(path, folder): path.read_bytes() if path.exists() else os.readlink(path).encode()
        for path in paths
    }


def visible(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in snapshot(folder).items() if "loadproof" not in name}
