"""Kinds of damage to files and indexes: they write a checkpoint into a folder that already holds config.json."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from safetensors.torch import save_file

Tensors = dict[str, Any]
KINDS: dict[str, Callable[[str, Tensors], None]] = {}
INDEX = "model.safetensors.index.json"


def kind(function: Callable[[str, Tensors], None]) -> Callable[[str, Tensors], None]:
    KINDS[function.__name__] = function
    return function


def write(folder: str, name: str, tensors: Tensors, metadata: dict[str, str] | None = None) -> None:
    copies = {key: tensor.contiguous().clone() for key, tensor in tensors.items()}
    save_file(copies, os.path.join(folder, name), metadata={"format": "pt"} if metadata is None else metadata or None)


def write_index(folder: str, weight_map: dict[str, str], **more: Any) -> None:
    entry = {"metadata": {"total_size": 0}, "weight_map": weight_map} | more
    with open(os.path.join(folder, INDEX), "w", encoding="utf-8") as file:
        json.dump({key: value for key, value in entry.items() if value is not None}, file)


def shards_of(tensors: Tensors, number: int = 3) -> dict[str, Tensors]:
    names = sorted(tensors)
    return {
        f"model-{i + 1:05d}-of-{number:05d}.safetensors": {name: tensors[name] for name in names[i::number]}
        for i in range(number)
    }


def sharded(folder: str, tensors: Tensors) -> tuple[dict[str, Tensors], dict[str, str]]:
    """Write a healthy sharded save; returns its shards and weight map."""
    shards = shards_of(tensors)
    weight_map = {name: shard for shard, part in shards.items() for name in part}
    for shard, part in shards.items():
        write(folder, shard, part)
    write_index(folder, weight_map)
    return shards, weight_map


@kind
def healthy_shards(folder: str, tensors: Tensors) -> None:
    sharded(folder, tensors)


@kind
def copies_of_other_shape_in_the_last_shard(folder: str, tensors: Tensors) -> None:
    shards, _ = sharded(folder, tensors)
    (_, first), *_, (last_name, last) = shards.items()
    write(folder, last_name, last | {name: first[name].flatten()[:1] for name in list(first)[:3]})


@kind
def copies_of_other_shape_in_the_first_shard(folder: str, tensors: Tensors) -> None:
    shards, _ = sharded(folder, tensors)
    (first_name, first), *_, (_, last) = shards.items()
    write(folder, first_name, first | {name: last[name].flatten()[:1] for name in list(last)[:3]})


@kind
def stale_single_file(folder: str, tensors: Tensors) -> None:
    sharded(folder, tensors)
    write(folder, "model.safetensors", {name: tensors[name] for name in sorted(tensors)[::2]})


@kind
def shard_not_in_the_index(folder: str, tensors: Tensors) -> None:
    _, weight_map = sharded(folder, tensors)
    last = max(weight_map.values())
    write_index(folder, {name: shard for name, shard in weight_map.items() if shard != last})


@kind
def shard_missing(folder: str, tensors: Tensors) -> None:
    shards, _ = sharded(folder, tensors)
    os.remove(os.path.join(folder, list(shards)[1]))


@kind
def index_without_metadata(folder: str, tensors: Tensors) -> None:
    _, weight_map = sharded(folder, tensors)
    write_index(folder, weight_map, metadata=None)


@kind
def index_names_wrong_shards(folder: str, tensors: Tensors) -> None:
    shards, weight_map = sharded(folder, tensors)
    names = sorted(shards)
    write_index(folder, {name: names[(names.index(shard) + 1) % 3] for name, shard in weight_map.items()})


@kind
def index_has_ghosts(folder: str, tensors: Tensors) -> None:
    _, weight_map = sharded(folder, tensors)
    write_index(folder, weight_map | {"ghost.weight": min(weight_map.values())})


@kind
def index_lacks_keys(folder: str, tensors: Tensors) -> None:
    _, weight_map = sharded(folder, tensors)
    write_index(folder, dict(sorted(weight_map.items())[::2]))


@kind
def index_is_empty(folder: str, tensors: Tensors) -> None:
    write_index(folder, {})


@kind
def index_is_no_json(folder: str, tensors: Tensors) -> None:
    sharded(folder, tensors)
    with open(os.path.join(folder, INDEX), "w", encoding="utf-8") as file:
        file.write('{"metadata": {}, "weight_map": ')


@kind
def no_weights(folder: str, tensors: Tensors) -> None:
    pass


@kind
def only_a_variant(folder: str, tensors: Tensors) -> None:
    write(folder, "model.fp16.safetensors", tensors)


@kind
def only_consolidated(folder: str, tensors: Tensors) -> None:
    write(folder, "consolidated.safetensors", tensors)


@kind
def named_in_the_config(folder: str, tensors: Tensors) -> None:
    write(folder, "mine.safetensors", {name: tensors[name] for name in sorted(tensors)[1:]})
    write(folder, "model.safetensors", tensors)
    _edit_config(folder, transformers_weights="mine.safetensors")


@kind
def named_outside_the_folder(folder: str, tensors: Tensors) -> None:
    write(folder, "model.safetensors", tensors)
    _edit_config(folder, transformers_weights="../mine.safetensors")


@kind
def no_format_metadata(folder: str, tensors: Tensors) -> None:
    write(folder, "model.safetensors", tensors, {})


@kind
def cut_short(folder: str, tensors: Tensors) -> None:
    write(folder, "model.safetensors", tensors)
    path = os.path.join(folder, "model.safetensors")
    os.truncate(path, os.path.getsize(path) - 5)


@kind
def git_lfs_pointer(folder: str, tensors: Tensors) -> None:
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 123456\n"
    with open(os.path.join(folder, "model.safetensors"), "w", encoding="utf-8") as file:
        file.write(text)


@kind
def empty_file(folder: str, tensors: Tensors) -> None:
    open(os.path.join(folder, "model.safetensors"), "w").close()


def _edit_config(folder: str, **fields: Any) -> None:
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config | fields, file)
