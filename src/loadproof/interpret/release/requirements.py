"""What the library asks of remote code before it runs a line of it: packages, files and syntax, by the text alone.

`get_cached_module_file` of dynamic_module_utils.py: `check_imports` parses the file that `auto_map` names and demands
every package that it imports outside of `try`, at any depth; every file that a line `from .x import` names, in it or in
those that it needs, is read and copied, whether or not that line ever runs.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.release.class_index import text_of
from loadproof.interpret.release.coding import NOWHERE, named
from loadproof.interpret.release.files import CODE, kind_of
from loadproof.interpret.release.ports import World

_UTILS = "transformers.dynamic_module_utils"
_IMPORTS = "transformers.utils.import_utils"
_RELATIVE = (
    re.compile(r"^\s*import\s+\.(\S+)\s*$", re.M),
    re.compile(r"^\s*from\s+\.(\S+)\s+import", re.M),
)


def check(world: World, module: str) -> frozenset[str]:
    """Names of the files that are copied for a module of remote code, itself among them.

    Raises the library's exception, or SourceMissing where a file of the folder is imported without a leading dot.
    """
    text = read(world, module)
    _check_packages(world, module, _parsed(text))
    done, todo = {module}, _relative(text)
    while todo:
        name = todo.pop()
        if name not in done:
            done.add(name)
            todo += _relative(read(world, name))
    return frozenset(done)


def read(world: World, name: str) -> str:
    """The text of a file of remote code as `open(path, encoding="utf-8")` gives it. Raises what that raises."""
    path = f"{CODE}/{name}.py"
    if kind_of(world.files, path) == "outside":
        raise SourceMissing(f"{name}.py leads out of the repository folder")
    data = world.files.read(path) if kind_of(world.files, path) == "file" else None
    if data is None:
        raise certain(FileNotFoundError(2, "No such file or directory", f"{name}.py"))
    try:
        return str(data.decode("utf-8")).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as problem:
        raise certain(problem) from None


def _relative(text: str) -> list[str]:
    return sorted({name for pattern in _RELATIVE for name in pattern.findall(text)})


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text, NOWHERE)
    except SyntaxError as problem:
        raise certain(named(problem, "<unknown>")) from None
    except ValueError as problem:
        raise certain(problem) from None


def _check_packages(world: World, module: str, tree: ast.Module) -> None:
    missing: list[str] = []
    for name, line in sorted(dict(reversed(list(_demanded(world, tree)))).items()):
        if world.machine.has(name) is False:
            missing.append(name)
        elif name in world.own_modules and not world.machine.has(name) and name not in sys.stdlib_module_names:
            raise without_dot(f"{module}.py:{line}", name)
    own = next((name for name in missing if name in world.own_modules), None)
    if own is not None:
        raise without_dot(f"{module}.py", own)
    if missing:
        text = (
            "This modeling file requires the following packages that were not found in your environment: "
            f"{', '.join(missing)}. Run `pip install {' '.join(missing)}`"
        )
        raise certain(ImportError(text))


def without_dot(place: str, name: str) -> SourceMissing:
    """A file of the folder is imported by its bare name."""
    return SourceMissing(
        f"{place} imports {name} without a leading dot: whether Python finds it depends on where it is started"
    )


def _demanded(world: World, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """(package, line) of `get_imports`. Releases that cut the text by regular expressions look into handlers as well."""
    skips_handlers = "Try" in _words(world, _UTILS)
    questions = _words(world, _IMPORTS) if "import_utils" in _words(world, _UTILS) else frozenset()
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Try):
            todo += [] if skips_handlers else [*node.handlers, *node.orelse, *node.finalbody]
            continue
        if isinstance(node, ast.If) and any(_asks(call, questions) for call in ast.walk(node.test)):
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0], node.lineno
        todo += ast.iter_child_nodes(node)


def _asks(node: ast.AST, questions: frozenset[str]) -> bool:
    """Whether it is a call of `is_flash_attn_..._available` or of a name of the release's import_utils."""
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return name in questions or (name.startswith("is_flash_attn") and name.endswith("available"))


def _words(world: World, module: str) -> frozenset[str]:
    """Names that a module of the release defines or imports at its top level, and the names it uses there."""
    known = world.memo.words
    if module not in known:
        path = world.path(module)
        text = text_of(world, path) if path else ""
        tops = re.findall(r"^(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", text, re.M)
        used = {"Try"} if re.search(r"\bast\.Try\b", text) else set()
        used |= {"import_utils"} if "hasattr(transformers.utils.import_utils" in text else set()
        used |= {"hashes"} if "_compute_local_source_files_hash" in text else set()
        known[module] = frozenset({name for pair in tops for name in pair if name} | used)
    return known[module]


def has_own_copies(world: World) -> bool:
    """Whether the release copies the files of a local folder once for each set of them, as 5.24 does."""
    return "hashes" in _words(world, _UTILS)
