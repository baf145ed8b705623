"""Every place where a checkpoint may lie gives the same answers about the same files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from loadproof.formats import checkpoint_at
from loadproof.storage import Storage, UnreadableError, open_folder, open_storage
from loadproof.storage.memory import Memory
from loadproof.storage.schemes import SCHEMES
from tests.formats.tiny import shard
from tests.hostile.selecting import select

FILES = {
    "config.json": b"{}",
    "model.safetensors": shard({"a": [2, 3]}),
    "notes.txt": b"0123456789",
    "sub/inner.bin": b"x",
}
Make = Callable[[Path], Storage]


def written(folder: Path) -> Path:
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


# Whoever adds a scheme adds a line that opens these files through it, under the name of the scheme.
EXAMPLES: dict[str, Make] = {
    "a folder": lambda folder: open_folder(str(written(folder))),
    "bytes": lambda folder: Memory(FILES),
    "file": lambda folder: open_storage(f"file://{written(folder)}"),
}


@pytest.fixture(params=EXAMPLES)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return EXAMPLES[request.param](tmp_path)


def test_every_scheme_has_an_example_and_a_function_that_opens_it() -> None:
    assert set(SCHEMES) <= set(EXAMPLES)
    for module in SCHEMES.values():
        opening = import_module(f"loadproof.storage.{module}").open_storage
        assert list(inspect.signature(opening).parameters) == ["location", "follow_links"]


def test_the_top_level_is_listed_by_name_with_kinds_and_sizes(storage: Storage) -> None:
    with storage:
        entries, is_whole = storage.list()
        assert [storage.look(entry.name) for entry in entries] == list(entries)
    assert is_whole
    assert [(entry.name, entry.kind, entry.state) for entry in entries] == [
        ("config.json", "file", "present"),
        ("model.safetensors", "file", "present"),
        ("notes.txt", "file", "present"),
        ("sub", "folder", "present"),
    ]
    assert [entry.size for entry in entries[:3]] == [len(FILES[entry.name]) for entry in entries[:3]]


def test_any_name_may_be_asked_for(storage: Storage) -> None:
    with storage:
        assert storage.look("sub/inner.bin").size == 1
        absent = storage.look("none.bin")
    assert (absent.state, absent.why and absent.why.kind) == ("absent", "absent")


@pytest.mark.parametrize(("begin", "length"), [(0, 4), (8, 100), (10, 1), (50, 1), (3, 0)])
def test_ranges_end_where_the_file_ends(begin: int, length: int, storage: Storage) -> None:
    with storage, storage.open("notes.txt") as opened:
        assert opened.size == 10
        assert opened.read(begin, length) == FILES["notes.txt"][begin : begin + length]
        assert not opened.changed()
        assert opened.outside is None


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("none.bin", {"absent"}), ("sub", {"folder"}), ("../x", {"unsafe-path"}), ("", {"unsafe-path"}),
        ("/etc/hostname", {"unsafe-path"}), ("a\0b", {"unsafe-path"}), ("notes.txt/x", {"absent", "not-a-folder"}),
    ],
)  # fmt: skip
def test_what_is_not_read_says_why(name: str, kinds: set[str], storage: Storage) -> None:
    with storage, pytest.raises(UnreadableError) as caught:
        storage.open(name)
    assert caught.value.kind in kinds
    assert caught.value.reason


def test_it_may_be_entered_again_inside_and_afterwards(storage: Storage) -> None:
    for _ in range(2):
        with storage:
            with storage, storage.open("notes.txt") as opened:
                assert opened.read(0, 1) == b"0"
            with storage.open("notes.txt") as opened:
                assert opened.read(1, 1) == b"1"


def test_a_checkpoint_in_it_is_read(storage: Storage) -> None:
    with checkpoint_at(storage) as checkpoint:
        manifest = checkpoint.manifest(select(checkpoint.inventory))
        record = checkpoint.records(["model.safetensors"], {"a"})["a"]
        assert checkpoint.payload(record) == FILES["model.safetensors"][record.begin : record.end]
    assert (manifest.tensors, checkpoint.config.path) == (1, "config.json")
    assert [(info.path, info.kind) for info in checkpoint.inventory.files] == [
        ("config.json", "json"),
        ("model.safetensors", "safetensors"),
        ("notes.txt", "other"),
    ]
    assert checkpoint.place_of("a") == f"{storage.place}/a"
