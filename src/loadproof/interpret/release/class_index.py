"""Where a class is defined: first the folder of its model type, then the whole tree."""

from __future__ import annotations

import os
import re
from typing import Any

from loadproof.interpret.language.limits import SOURCE_BYTES
from loadproof.interpret.release import auto_classes

_CLASS = re.compile(r"^class (\w+)", re.M)
_OTHER_FRAMEWORKS = ("modeling_tf_", "modeling_flax_")


def find(world: Any, name: str, model_type: str | None = None) -> Any:
    """The class, or None when no modeling or configuration file of the release defines it."""
    for kind in (model_type, world.model_type):
        if kind:
            package = "transformers.models." + auto_classes.folder_of(world, kind)
            found = find_in_package(world, package, name)
            if found is not None:
                return found
    module = _whole_index(world).get(name)
    return world.load(module, name) if module else None


def find_in_package(world: Any, package: str, name: str) -> Any:
    """A class of one model folder (or of the folder of remote code), by name."""
    module = _package_index(world, package).get(name)
    return world.load(module, name) if module else None


def _package_index(world: Any, package: str) -> dict[str, str]:
    indexes = world.__dict__.setdefault("package_indexes", {})
    if package not in indexes:
        top = world.root if package.startswith("transformers") else world.remote
        folder = os.path.join(top, *package.split(".")[1:])
        indexes[package] = _index_of(folder, package) if os.path.isdir(folder) else {}
    found: dict[str, str] = indexes[package]
    return found


def _index_of(folder: str, package: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".py") or not file.startswith(("modeling_", "configuration_")):
            continue
        if file.startswith(_OTHER_FRAMEWORKS):
            continue
        for name in _CLASS.findall(text_of(os.path.join(folder, file))):
            found.setdefault(name, f"{package}.{file[:-3]}")
    return found


def text_of(path: str) -> str:
    """The text of a source file, empty for what is none: a folder of strangers may hold a FIFO or an endless device."""
    if not os.path.isfile(path) or os.path.getsize(path) > SOURCE_BYTES:
        return ""
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def _whole_index(world: Any) -> dict[str, str]:
    index: dict[str, str] | None = world.__dict__.get("whole_index")
    if index is None:
        index = {}
        for package in ("transformers.models", "transformers.models.deprecated"):
            for folder in _subfolders(os.path.join(world.root, *package.split(".")[1:])):
                for name, module in _package_index(world, f"{package}.{folder}").items():
                    index.setdefault(name, module)
        world.__dict__["whole_index"] = index
    return index


def _subfolders(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [name for name in names if os.path.isdir(os.path.join(folder, name))]
