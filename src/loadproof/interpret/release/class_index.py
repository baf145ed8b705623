"""Where a class is defined: first the folder of its model type, then the whole tree."""

from __future__ import annotations

import re
from typing import Any

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.release import auto_classes
from loadproof.interpret.release.ports import World

_CLASS = re.compile(r"^class (\w+)", re.M)
_OTHER_FRAMEWORKS = ("modeling_tf_", "modeling_flax_")


def find(world: World, name: str, model_type: str | None = None) -> Any:
    """The class, or None when no modeling or configuration file of the release defines it."""
    for kind in (model_type, world.model_type):
        if kind:
            package = "transformers.models." + auto_classes.folder_of(world, kind)
            found = find_in_package(world, package, name)
            if found is not None:
                return found
    module = _whole_index(world).get(name)
    return world.load(module, name) if module else None


def find_in_package(world: World, package: str, name: str) -> Any:
    """A class of one model folder (or of the folder of remote code), by name."""
    module = _package_index(world, package).get(name)
    return world.load(module, name) if module else None


def _package_index(world: World, package: str) -> dict[str, str]:
    indexes = world.memo.package_indexes
    if package not in indexes:
        indexes[package] = _index_of(world, package)
    return indexes[package]


def _index_of(world: World, package: str) -> dict[str, str]:
    found: dict[str, str] = {}
    folder = package.replace(".", "/")
    for file, kind in world.files.list(folder).items():
        if kind != "file" or not file.startswith(("modeling_", "configuration_")):
            continue
        if file.startswith(_OTHER_FRAMEWORKS):
            continue
        for name in _CLASS.findall(text_of(world, f"{folder}/{file}")):
            found.setdefault(name, f"{package}.{file[:-3]}")
    return found


def text_of(world: World, path: str) -> str:
    """The text of a source file that is only looked through, empty for what is too long to be one."""
    try:
        text: str = world.text(path)
    except LimitReached:
        return ""
    return text


def _whole_index(world: World) -> dict[str, str]:
    index = world.memo.whole_index
    if index is None:
        index = {}
        for package in ("transformers.models", "transformers.models.deprecated"):
            for folder in _subfolders(world, package.replace(".", "/")):
                for name, module in _package_index(world, f"{package}.{folder}").items():
                    index.setdefault(name, module)
        world.memo.whole_index = index
    return index


def _subfolders(world: World, folder: str) -> list[str]:
    return [name for name, kind in world.files.list(folder).items() if kind == "folder"]
