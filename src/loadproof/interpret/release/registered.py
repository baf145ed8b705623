"""Classes that a decorator enters in a registry when their module is imported: ``@Parent.register(name=...)``.

Files of a package are read name by name, so no decorator is run: the registry is asked where the text has the decorator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language.values import Value
from loadproof.interpret.release.definitions import parse
from loadproof.interpret.release.ports import World

_DECORATED = re.compile(r"^@(\w+)\.register\(name=([\w.\"'-]+)\)\nclass (\w+)", re.M)


def get_from_registry(world: World, parent_class: Any, name: Any, require_subclass: Value = False) -> Any:  # noqa: ARG001
    """`compressed_tensors.registry.get_from_registry`. Raises KeyError for a name that no class is entered under."""
    wanted = _spelled(str(name))
    package = str(parent_class.__module__).rpartition(".")[0]
    for module in _modules(world, package.replace(".", "/")):
        for parent, stated, found in _DECORATED.findall(world.text(world.path(module) or "")):
            if parent == parent_class.__name__ and _name(world, module, stated) == wanted:
                return world.load(module, found)
    raise KeyError(f"Unable to find {wanted} registered under type {parent_class.__name__}")


def _modules(world: World, folder: str) -> Iterator[str]:
    entries = world.files.list(folder)
    for name, kind in entries.items():
        if kind == "file" and name != "__init__.py":
            yield f"{folder}/{name[:-3]}".replace("/", ".")
    for name in (name for name, kind in entries.items() if kind == "folder"):
        yield from _modules(world, f"{folder}/{name}")


def _name(world: World, module: str, stated: str) -> str:
    """The name that the decorator states, a text or an expression over names of its file."""
    file = world.file(module)
    node: Any = parse(stated)[0]
    return "" if file is None else _spelled(str(file.evaluate(node.value)))


def _spelled(name: str) -> str:
    return name.replace("_", "-").replace(" ", "-").lower()
