"""Ways in which the files of one healthy checkpoint can lie: links, hub caches, odd names in an index, and near misses.

A layout is made in an empty folder from two healthy folders, `one` (a single file) and `two` (two shards and an index),
and returns the folder that is loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

Layout = Callable[[Path, Path, Path], Path]
LAYOUTS: dict[str, Layout] = {}
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def layout(function: Layout) -> Layout:
    LAYOUTS[function.__name__] = function
    return function


def copied(source: Path, folder: Path) -> Path:
    shutil.copytree(source, folder, symlinks=True)
    return folder


def linked(source: Path, folder: Path, *, relative: bool = False) -> Path:
    """Every file of `source` as a link in `folder`."""
    folder.mkdir()
    for name in os.listdir(source):
        target = source / name
        (folder / name).symlink_to(os.path.relpath(target, folder) if relative else target)
    return folder


def reindex(folder: Path, spelled: dict[str, str]) -> None:
    """Write other file names into the index: {as it is: as it is to be}."""
    path = folder / INDEX
    index = json.loads(path.read_text())
    index["weight_map"] = {name: spelled.get(file, file) for name, file in index["weight_map"].items()}
    path.unlink()
    path.write_text(json.dumps(index))


def moved(folder: Path, names: dict[str, str]) -> Path:
    """Rename shards, in the folder and in the index."""
    for old, new in names.items():
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)
    reindex(folder, names)
    return folder


# ---- links to another folder
@layout
def every_file_a_link(one: Path, two: Path, here: Path) -> Path:
    return linked(one, here / "m")


@layout
def every_file_a_relative_link(one: Path, two: Path, here: Path) -> Path:
    return linked(two, here / "m", relative=True)


@layout
def another_config_over_linked_weights(one: Path, two: Path, here: Path) -> Path:
    folder = linked(two, here / "m")
    (folder / "config.json").unlink()
    shutil.copy(two / "config.json", folder)
    return folder


@layout
def links_to_links(one: Path, two: Path, here: Path) -> Path:
    return linked(linked(linked(two, here / "a"), here / "b", relative=True), here / "m")


@layout
def store_of_hashes(one: Path, two: Path, here: Path) -> Path:
    """As DVC and model stores lay files out: the target's name says nothing."""
    folder = here / "m"
    folder.mkdir()
    for number, name in enumerate(sorted(os.listdir(two))):
        blob = here / "store" / "md5" / f"{number:02x}" / "abcdef"
        blob.parent.mkdir(parents=True)
        shutil.copy(two / name, blob)
        (folder / name).symlink_to(blob)
    return folder


@layout
def the_folder_itself_a_link(one: Path, two: Path, here: Path) -> Path:
    (here / "m").symlink_to(two)
    return here / "m"


@layout
def shards_behind_a_linked_folder(one: Path, two: Path, here: Path) -> Path:
    folder = copied(two, here / "m")
    reindex(folder, {FIRST: f"shards/{FIRST}", SECOND: f"shards/{SECOND}"})
    (here / "away").mkdir()
    for name in (FIRST, SECOND):
        (folder / name).rename(here / "away" / name)
    (folder / "shards").symlink_to(here / "away")
    return folder


@layout
def an_index_that_is_a_link(one: Path, two: Path, here: Path) -> Path:
    folder = copied(two, here / "m")
    (folder / INDEX).rename(here / "index.json")
    (folder / INDEX).symlink_to("../index.json")
    return folder


@layout
def shards_in_a_folder_of_their_own(one: Path, two: Path, here: Path) -> Path:
    return moved(copied(two, here / "m"), {FIRST: f"sub/{FIRST}", SECOND: f"sub/{SECOND}"})


@layout
def hard_links(one: Path, two: Path, here: Path) -> Path:
    folder = here / "m"
    folder.mkdir()
    for name in os.listdir(two):
        os.link(two / name, folder / name)
    return folder


# ---- hub caches
def cached(source: Path, here: Path, *, shared: bool = False, absolute: bool = False) -> Path:
    """A snapshot of huggingface_hub: links to blobs, which in 2.4 are links to blobs that all repositories share."""
    hub = here / "hub"
    blobs, snapshot = hub / "models--o--m" / "blobs", hub / "models--o--m" / "snapshots" / "0123abcd"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, name in enumerate(sorted(os.listdir(source))):
        blob = blobs / f"{number:040x}"
        if shared and name.endswith(".safetensors"):
            digest = f"{number:064x}"
            store = hub / "blobs" / digest[:2] / digest
            store.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, store)
            blob.symlink_to(store if absolute else f"../../blobs/{digest[:2]}/{digest}")
        else:
            shutil.copy(source / name, blob)
        (snapshot / name).symlink_to(blob if absolute else f"../../blobs/{blob.name}")
    return snapshot


@layout
def hub_cache(one: Path, two: Path, here: Path) -> Path:
    return cached(two, here)


@layout
def hub_cache_with_absolute_links(one: Path, two: Path, here: Path) -> Path:
    return cached(two, here, absolute=True)


@layout
def hub_cache_with_shared_blobs(one: Path, two: Path, here: Path) -> Path:
    return cached(one, here, shared=True)


@layout
def hub_cache_with_shared_blobs_and_shards(one: Path, two: Path, here: Path) -> Path:
    return cached(two, here, shared=True)


@layout
def hub_cache_with_shared_blobs_by_absolute_links(one: Path, two: Path, here: Path) -> Path:
    return cached(two, here, shared=True, absolute=True)


@layout
def hub_cache_that_lost_a_blob(one: Path, two: Path, here: Path) -> Path:
    snapshot = cached(two, here)
    (snapshot / FIRST).resolve().unlink()
    return snapshot


@layout
def hub_cache_that_lost_a_shared_blob(one: Path, two: Path, here: Path) -> Path:
    snapshot = cached(one, here, shared=True)
    (snapshot / WEIGHTS).resolve().unlink()
    return snapshot


# ---- names in an index
def respelled(spelling: str) -> Layout:
    """The first shard under another spelling; `{}` is its name, `{here}` the folder."""

    def make(one: Path, two: Path, here: Path) -> Path:
        folder = copied(two, here / "m")
        (folder / "sub").mkdir()
        reindex(folder, {FIRST: spelling.format(FIRST, here=folder)})
        return folder

    return make


LAYOUTS |= {
    "a_dot_before_the_name": respelled("./{}"),
    "two_dots_and_slashes_before_the_name": respelled(".//././{}"),
    "up_and_down_again": respelled("sub/../{}"),
    "up_from_a_folder_that_is_not_there": respelled("gone/../{}"),
    "out_and_in_again": respelled("../m/{}"),
    "an_absolute_path_inside": respelled("{here}/{}"),
    "a_slash_after_the_name": respelled("{}/"),
    "a_slash_and_a_dot_after_the_name": respelled("{}/."),
    "another_case": respelled("Model-00001-of-00002.safetensors"),
    "the_folder_as_a_shard": respelled("sub"),
}


@layout
def slashes_inside(one: Path, two: Path, here: Path) -> Path:
    folder = moved(copied(two, here / "m"), {FIRST: f"sub/{FIRST}", SECOND: f"sub/{SECOND}"})
    reindex(folder, {f"sub/{FIRST}": f"sub//{FIRST}", f"sub/{SECOND}": f"sub/./{SECOND}"})
    return folder


@layout
def one_shard_under_two_spellings(one: Path, two: Path, here: Path) -> Path:
    folder = copied(two, here / "m")
    index = json.loads((folder / INDEX).read_text())
    name = next(name for name, file in index["weight_map"].items() if file == FIRST)
    index["weight_map"][name] = f"./{FIRST}"
    (folder / INDEX).write_text(json.dumps(index))
    return folder


@layout
def outside_by_dots(one: Path, two: Path, here: Path) -> Path:
    folder = copied(two, here / "m")
    (folder / FIRST).rename(here / FIRST)
    reindex(folder, {FIRST: f"../{FIRST}"})
    return folder


@layout
def outside_by_an_absolute_path(one: Path, two: Path, here: Path) -> Path:
    folder = copied(two, here / "m")
    (folder / FIRST).rename(here / FIRST)
    reindex(folder, {FIRST: str(here / FIRST)})
    return folder


@layout
def zero_based_numbers(one: Path, two: Path, here: Path) -> Path:
    first, second = "model-00000-of-00002.safetensors", "model-00001-of-00002.safetensors"
    return moved(copied(two, here / "m"), {FIRST: first, SECOND: second})


@layout
def zero_based_numbers_without_an_index(one: Path, two: Path, here: Path) -> Path:
    folder = zero_based_numbers(one, two, here)
    (folder / INDEX).unlink()
    return folder


@layout
def zero_based_up_to_the_total(one: Path, two: Path, here: Path) -> Path:
    first, second = "model-00000-of-00001.safetensors", "model-00001-of-00001.safetensors"
    return moved(copied(two, here / "m"), {SECOND: second, FIRST: first})


# ---- links that lead nowhere, and what is no file
def instead(name: str, put: Callable[[Path], object], *, sharded: bool) -> Layout:
    """Something else in the place of one file."""

    def make(one: Path, two: Path, here: Path) -> Path:
        folder = copied(two if sharded else one, here / "m")
        (folder / name).unlink()
        put(folder / name)
        return folder

    return make


def a_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # an address of a socket may be 108 bytes long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


THINGS: dict[str, Callable[[Path], object]] = {
    "a_dangling_link": lambda path: path.symlink_to("/nowhere/at/all"),
    "a_link_to_itself": lambda path: path.symlink_to(path.name),
    "a_folder": lambda path: path.mkdir(),
    "a_link_to_a_folder": lambda path: path.symlink_to(path.parent.parent),
    "a_link_to_a_device": lambda path: path.symlink_to("/dev/null"),
    "a_socket": a_socket,
    "nothing": lambda path: None,
}
PIPES: dict[str, Callable[[Path], object]] = {
    "a_pipe": lambda path: os.mkfifo(path),
    "a_link_to_a_pipe": lambda path: (os.mkfifo(path.parent / "pipe"), path.symlink_to("pipe")),
}
for what, put in THINGS.items():
    LAYOUTS[f"{what}_for_the_weights"] = instead(WEIGHTS, put, sharded=False)
    LAYOUTS[f"{what}_for_a_shard"] = instead(FIRST, put, sharded=True)
    LAYOUTS[f"{what}_for_the_index"] = instead(INDEX, put, sharded=True)
    LAYOUTS[f"{what}_for_the_config"] = instead("config.json", put, sharded=False)
for what, put in PIPES.items():  # a pipe as a shard: the library would wait for ever
    LAYOUTS[f"{what}_for_the_weights"] = instead(WEIGHTS, put, sharded=False)
    LAYOUTS[f"{what}_for_the_index"] = instead(INDEX, put, sharded=True)


def _beside(put: Callable[[Path], object]) -> Layout:
    def make(one: Path, two: Path, here: Path) -> Path:
        folder = copied(two, here / "m")
        put(folder / WEIGHTS)
        return folder

    return make


# a single file comes first in the library's order, but only a regular file is one
LAYOUTS |= {f"{what}_for_the_weights_beside_shards": _beside(put) for what, put in (THINGS | PIPES).items()}


@layout
def a_folder_before_a_pickle(one: Path, two: Path, here: Path) -> Path:
    folder = copied(one, here / "m")
    (folder / WEIGHTS).rename(folder / "mine.safetensors")
    (folder / WEIGHTS).mkdir()
    config = json.loads((folder / "config.json").read_text()) | {"transformers_weights": "mine.safetensors"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@layout
def weights_named_in_the_config_as_a_dangling_link(one: Path, two: Path, here: Path) -> Path:
    folder = a_folder_before_a_pickle(one, two, here)
    (folder / "mine.safetensors").unlink()
    (folder / "mine.safetensors").symlink_to("gone")
    return folder


@layout
def a_dangling_link_that_nobody_opens(one: Path, two: Path, here: Path) -> Path:
    folder = copied(one, here / "m")
    (folder / "old-model.safetensors").symlink_to("/nowhere/model.safetensors")
    (folder / "training_args.bin").symlink_to("/nowhere/args.bin")
    return folder
