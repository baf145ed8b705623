"""Whether a release has the modules and names that remote code imports from it: names move and vanish.

Only what is certain is said: a module that takes names from where its text does not say is let through, and so is a name
that is bound under some condition.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import find
from loadproof.interpret.release import class_index
from loadproof.interpret.release.definitions import parse
from loadproof.interpret.release.ports import World

_ANY_NAME = re.compile(r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\*|^def __getattr__|^globals\(\)", re.M)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def check_module(world: World, module: str) -> None:
    """Raise ModuleNotFoundError where the release has no such module."""
    if world.path(module) is not None:
        return
    missing = _first_missing(world, module)
    parent, _, last = missing.rpartition(".")
    path = world.path(parent)
    if path is not None and not has_word(world, path, last):  # else it may be an alias that the package registers
        raise certain(ModuleNotFoundError(f"No module named '{missing}'"))


def check_name(world: World, module: str, name: str) -> None:
    """Raise ImportError, or ModuleNotFoundError, where `from module import name` does."""
    check_module(world, module)
    path = world.path(module)
    if path is None or world.path(f"{module}.{name}") is not None or name.startswith("__"):
        return
    if not _has(world, path, name):
        raise certain(ImportError(f"cannot import name '{name}' from '{module}' ({path})"))


def _has(world: World, path: str, name: str) -> bool:
    text = class_index.text_of(world, path)
    if path.endswith("/__init__.py") and "_LazyModule" in text:
        return _is_exported(world, path, text, name)
    if re.search(rf"^(?:class|def)[ \t]+{name}\b|^{name}[ \t]*[:=]", text, re.M) or _ANY_NAME.search(text):
        return True
    return has_word(world, path, name) and name in _bound(world, path)


def _bound(world: World, path: str) -> frozenset[str]:
    """Every name that a module binds at its top level, whatever the condition."""
    found: set[str] = set()
    todo: list[Any] = list(parse(class_index.text_of(world, path)))
    while todo:
        node = todo.pop()
        if isinstance(node, _SCOPES):
            found.add(find(node, "name", ""))
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(a.asname or a.name.split(".")[0] for a in node.names)
        todo += ast.iter_child_nodes(node)
    return frozenset(found)


def _is_exported(world: World, path: str, text: str, name: str) -> bool:
    """Whether a package hands a name out lazily: it is in its tables, or in the `__all__` of one of its files."""
    if re.search(rf"[\"']{name}[\"']|\bimport[^\n]*\b{name}\b|^[ \t]*{name}(?: as \w+)?,?$", text, re.M):
        return True
    return "define_import_structure" in text and _is_listed(world, path.rpartition("/")[0], name)


def _is_listed(world: World, folder: str, name: str) -> bool:
    plain = name.lower()
    found = sorted(_sources(world, folder), key=lambda path: not plain.startswith(path.split("/")[-2]))
    listed = re.compile(
        rf"^__all__[^\n]*=[ \t]*[\[(][^\])]*[\"']{name}[\"']|^@(?:export|requires)\b[^\n]*\n(?:@[^\n]*\n)*(?:class|def) {name}\b",
        re.M,
    )
    return any(has_word(world, path, name) and listed.search(class_index.text_of(world, path)) for path in found)


def _first_missing(world: World, module: str) -> str:
    """The outermost package of a dotted name that is not there."""
    parts = module.split(".")
    names = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return next((n for n in names if world.path(n) is None), module)


def has_word(world: World, path: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", class_index.text_of(world, path)) is not None


def _sources(world: World, folder: str) -> Iterator[str]:
    entries = world.files.list(folder)
    yield from (f"{folder}/{name}" for name, kind in entries.items() if kind == "file")
    for name in (name for name, kind in entries.items() if kind == "folder"):
        yield from _sources(world, f"{folder}/{name}")
