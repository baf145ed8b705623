"""Imports of remote code that a release cannot serve: names move and vanish, and the import itself then raises.

Only what is certain is said: a name is missing when no text of its module mentions it. Imports inside of `try`, `if`
and functions are left alone, and so are packages whose source is not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.release import class_index
from loadproof.interpret.release.definitions import parse
from loadproof.interpret.release.source_file import SourceFile

_ANY_NAME = re.compile(r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\*|^def __getattr__", re.M)


def check(world: Any, module: str, seen: set[str] | None = None) -> None:
    """Follow the imports of a module of remote code as Python would. Raises the ImportError, or SourceMissing."""
    seen = set() if seen is None else seen
    file = world.file(module)
    if file is None or module in seen:
        return
    seen.add(module)
    _check_own(world, file)  # the library looks at the packages of a file before it runs the first line
    for node in file.imports:
        if node.level:
            check(world, _relative(file, node), seen)
        elif _top(node) == "transformers":
            _check_names(world, node.module or "", [a.name for a in node.names])


def _top(node: ast.ImportFrom) -> str:
    return (node.module or "").split(".")[0]


def _relative(file: SourceFile, node: ast.ImportFrom) -> str:
    parts = file.name.split(".")
    package = parts if file.is_package else parts[:-1]
    return ".".join([*package[: len(package) - (node.level - 1)], *filter(None, [node.module])])


def _check_own(world: Any, file: SourceFile) -> None:
    """Refuse imports of the folder's own files without a leading dot (`check_imports`, dynamic_module_utils.py)."""
    names = "|".join(map(re.escape, sorted(world.own_modules)))
    text = class_index.text_of(world, file.path)
    if not names or re.search(rf"^[ \t]*(?:from|import)[ \t]+(?:{names})\b", text, re.M) is None:
        return
    for node in _unguarded(parse(text), _has_word(world, world.path("transformers.dynamic_module_utils"), "Try")):
        tops = [a.name for a in node.names] if isinstance(node, ast.Import) else [] if node.level else [node.module]
        own = next((t for t in tops if t and t.split(".")[0] in world.own_modules), None)
        if own is not None:
            raise SourceMissing(
                f"{file.label}:{node.lineno} imports {own} without a leading dot: whether Python finds it depends on "
                "where it is started"
            )


def _unguarded(body: list[ast.stmt], handlers_count_not: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports outside of `try`; releases that cut texts by a regular expression look into the handlers."""
    todo: list[Any] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.Try):
            todo += [] if handlers_count_not else [*node.handlers, *node.orelse, *node.finalbody]
        else:
            todo += [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.ExceptHandler))]


def _check_names(world: Any, module: str, names: list[str]) -> None:
    path = world.path(module)
    if path is None:
        missing = _first_missing(world, module)
        parent, _, last = missing.rpartition(".")
        if not _has_word(world, world.path(parent), last):  # else it may be an alias that the package registers
            raise certain(ModuleNotFoundError(f"No module named '{missing}'"))
        return
    for name in names:
        if name != "*" and not _is_mentioned(world, module, name):
            raise certain(ImportError(f"cannot import name '{name}' from '{module}' ({path})"))


def _is_mentioned(world: Any, module: str, name: str) -> bool:
    """Whether the module may have that name: its text has the word, or it takes names from where it does not say."""
    path = world.path(module)
    if path is None or world.path(f"{module}.{name}") is not None or _has_word(world, path, name):
        return True
    if not path.endswith("/__init__.py"):
        return _ANY_NAME.search(class_index.text_of(world, path)) is not None
    return _is_in_folder(world, path.rpartition("/")[0], name)


def _first_missing(world: Any, module: str) -> str:
    """The outermost package of a dotted name that is not there."""
    parts = module.split(".")
    names = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return next((n for n in names if world.path(n) is None), module)


def _has_word(world: Any, path: str | None, word: str) -> bool:
    return path is None or re.search(rf"\b{re.escape(word)}\b", class_index.text_of(world, path)) is not None


def _is_in_folder(world: Any, folder: str, name: str) -> bool:
    """Packages hand out the names of their files, lazily or by `import *`: look for the word in all of them."""
    plain = name.lower()
    found = sorted(_sources(world, folder), key=lambda path: not plain.startswith(path.split("/")[-2]))
    return any(_has_word(world, path, name) for path in found)


def _sources(world: Any, folder: str) -> Iterator[str]:
    entries = world.files.list(folder)
    yield from (f"{folder}/{name}" for name, kind in entries.items() if kind == "file")
    for name in (name for name, kind in entries.items() if kind == "folder"):
        yield from _sources(world, f"{folder}/{name}")
