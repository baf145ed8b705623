"""Which files are opened, in which order, and what is raised instead."""

from __future__ import annotations

from typing import Any

import pytest

from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory, Problem
from loadproof.core.config import ModelConfig
from loadproof.formats import StoredCheckpoint
from loadproof.readers.transformers.select import select
from loadproof.storage.memory import Memory

SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
INDEX = IndexFile("model.safetensors.index.json", {"b": SHARDS[1], "a": SHARDS[0], "c": SHARDS[1]}, 8, True)


def holding(
    *names: str, index: IndexFile | None = None, config: dict[str, Any] | None = None, **more: Any
) -> StoredCheckpoint:
    files = tuple(FileInfo(name, 1, "safetensors") for name in names)
    inventory = Inventory("here", files, (index,) if index else (), **more)
    return StoredCheckpoint(Memory({}, "/root"), inventory, ModelConfig("config.json", config or {}))


def test_a_single_file_comes_before_an_index_and_shadows_its_shards() -> None:
    found = select(holding("model.safetensors", INDEX.path, *SHARDS, index=INDEX))
    assert (found.entry, found.files, found.format) == ("model.safetensors", ("model.safetensors",), "safetensors")
    assert found.shadowed == (*SHARDS, INDEX.path)


def test_shards_are_the_distinct_sorted_values_of_the_index() -> None:
    found = select(holding(*SHARDS, "model-00003-of-00002.safetensors", index=INDEX))
    assert (found.files, found.format, found.error) == (SHARDS, "safetensors-sharded", None)
    assert found.shadowed == ("model-00003-of-00002.safetensors",)


def test_safetensors_come_before_torch_files() -> None:
    found = select(holding("pytorch_model.bin", *SHARDS, index=INDEX))
    assert found.format == "safetensors-sharded"
    assert found.shadowed == ("pytorch_model.bin",)


def test_torch_files_are_the_last_resort() -> None:
    assert select(holding("pytorch_model.bin")).format == "torch"


def test_a_torch_index_selects_torch_shards() -> None:
    index = IndexFile("pytorch_model.bin.index.json", {"a": "pytorch_model-00001-of-00001.bin"}, 1, True)
    found = select(holding("pytorch_model-00001-of-00001.bin", index=index))
    assert found.format == "torch-sharded"


def test_an_absent_shard_raises_what_the_library_raises() -> None:
    found = select(holding(SHARDS[0], index=INDEX))
    assert found.error == f"FileNotFoundError: No such file or directory: /root/{SHARDS[1]}"


def test_names_only_does_not_miss_absent_shards() -> None:
    found = select(holding(index=INDEX), names_only=True)
    assert (found.error, found.format, found.files) == (None, "names-only", SHARDS)


def test_an_index_without_metadata_is_a_bare_key_error() -> None:
    index = IndexFile(INDEX.path, INDEX.weight_map, None, False)
    assert select(holding(*SHARDS, index=index)).error == "KeyError: 'metadata'"


def test_an_index_that_is_no_json_raises_what_the_parser_says() -> None:
    problem = Problem("LP101", INDEX.path, "not JSON", detail="json", particular="Expecting value")
    index = IndexFile(INDEX.path, {}, None, False, readable=False)
    assert select(holding(index=index, problems=(problem,))).error == "JSONDecodeError: Expecting value"


def test_an_empty_index_raises_an_index_error() -> None:
    index = IndexFile(INDEX.path, {}, 0, True)
    assert select(holding(index=index)).error == "IndexError: list index out of range"


@pytest.mark.parametrize("name", ["model.fp16.safetensors", "consolidated.00.pth", "weights.safetensors", "model.gguf"])
def test_other_names_are_no_weights(name: str) -> None:
    found = select(holding(name))
    assert (
        found.error == "OSError: Error no file named model.safetensors, or pytorch_model.bin, found in directory here."
    )
    assert found.shadowed == (name,)


def test_the_config_may_name_another_file() -> None:
    found = select(holding("model.safetensors", "b.safetensors", config={"transformers_weights": "b.safetensors"}))
    assert (found.entry, found.shadowed) == ("b.safetensors", ("model.safetensors",))


@pytest.mark.parametrize("name", ["../b.safetensors", "/etc/b.safetensors", "x/../../b.safetensors"])
def test_the_config_may_not_name_a_file_outside(name: str) -> None:
    found = select(holding("model.safetensors", config={"transformers_weights": name}))
    assert found.error == (
        f"ValueError: `transformers_weights` must reference a file inside the model directory, got {name}"
    )


def test_the_config_may_only_name_safetensors() -> None:
    error = select(holding("b.bin", config={"transformers_weights": "b.bin"})).error
    assert error is not None
    assert error.startswith("ValueError: The transformers file in the config seems to be incorrect")


def test_a_distributed_checkpoint_goes_first() -> None:
    name = "shard-00000-model-00001-of-00001.safetensors"
    assert select(holding("model.safetensors", name)).format == "dcp"


def test_the_file_that_the_user_named_is_the_one() -> None:
    found = select(holding("model.safetensors", "other.safetensors", single_file="other.safetensors"))
    assert found.files == ("other.safetensors",)


def test_a_shard_outside_the_folder_is_not_called_absent() -> None:
    index = IndexFile(INDEX.path, {"a": "../elsewhere.safetensors"}, 1, True)
    assert select(holding(index=index)).error is None
