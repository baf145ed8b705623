"""The top-level names of a source file, each with its definitions in order."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple, TypeAlias

from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.release.changed_names import amends, bound_names, changed_names
from loadproof.interpret.release.definitions import parse
from loadproof.interpret.release.source_text import Chunk, split

_ASSIGNS = re.compile(r"([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)")
_AVAILABILITY = re.compile(r"\bis_\w+\(|available|AVAILABLE|TYPE_CHECKING")
_PRESENT = {"torch", "numpy", "transformers"}


class ModuleImport(NamedTuple):
    """`import name`"""

    name: str


class NameImport(NamedTuple):
    """`from module import name`"""

    level: int
    module: str | None
    name: str


Definition: TypeAlias = Chunk | ast.stmt | ModuleImport | NameImport


class NameIndex:
    """`defs` maps a name to its definitions, `stars` are the modules of which every name is imported.

    With `asks_packages` what is tested at top level is evaluated, also whether a package is there.
    """

    def __init__(self, text: str, *, asks_packages: bool = False) -> None:
        self.defs: dict[str, list[Definition]] = {}
        self.stars: list[NameImport] = []
        self._asks_packages = asks_packages
        self._index(text)

    def _index(self, text: str) -> None:
        try:
            for chunk in split(text):
                self._index_chunk(chunk)
        except SyntaxError:  # unusual layout: parse the whole file instead
            self.defs = {}
            self._index_nodes(parse(text))

    def _index_chunk(self, chunk: Chunk) -> None:
        found = chunk.defines()
        if found is not None:
            self.defs[found[1]] = [chunk]
            return
        assigned = _ASSIGNS.match(chunk.text)
        if assigned is not None:
            self.defs.setdefault(assigned.group(1), []).append(chunk)
            return
        self._index_nodes(parse(chunk.text, chunk.line))

    def _index_nodes(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._index_node(node)

    def _index_node(self, s: ast.stmt) -> None:
        if isinstance(s, (ast.ClassDef, ast.FunctionDef)):
            self.defs[s.name] = [s]
        elif isinstance(s, ast.Import):
            for a in s.names:
                top = a.name.split(".")[0]
                self.defs[a.asname or top] = [ModuleImport(a.name if a.asname else top)]
        elif isinstance(s, ast.ImportFrom):
            for a in s.names:
                if a.name == "*":
                    self.stars.append(NameImport(s.level, s.module, a.name))
                else:
                    self.defs[a.asname or a.name] = [NameImport(s.level, s.module, a.name)]
        elif isinstance(s, ast.If):
            self._index_if(s)
        elif isinstance(s, ast.Try):
            self._index_try(s)
        else:
            self._index_other(s)

    def _index_other(self, s: ast.stmt) -> None:
        """Assignments, and statements that change what a name holds: replayed in order when the name is asked for."""
        for name in dict.fromkeys([*bound_names(s), *changed_names(s), *self._changed_by_call(s)]):
            known = self.defs.get(name)
            if known is None or not isinstance(known[0], (ModuleImport, NameImport)) or amends(s):
                self.defs.setdefault(name, []).append(s)

    def _changed_by_call(self, s: ast.stmt) -> list[str]:
        """Tables of the file that a bare call of one of its functions fills: `register(Template(...))`."""
        function = s.value.func if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
        definitions = self.defs.get(function.id, ()) if isinstance(function, ast.Name) else ()
        found: list[str] = []
        for d in definitions:
            nodes = parse(d.text, d.line) if isinstance(d, Chunk) else [d] if isinstance(d, ast.FunctionDef) else []
            for inner in (x for node in nodes for x in ast.walk(node) if isinstance(x, (ast.Assign, ast.Expr))):
                found += [name for name in changed_names(inner) if name in self.defs]
        return found

    def _index_try(self, s: ast.Try) -> None:
        if imports_absent_package(s.body):
            for handler in s.handlers:
                self._index_nodes(handler.body)
        else:
            self._index_nodes(s.body)

    def _index_if(self, s: ast.If) -> None:
        """Top-level `if`: torch is available, every other optional package is not. Any other test is evaluated."""
        test = ast.unparse(s.test)
        if "TYPE_CHECKING" not in test and "is_torch_available" not in test and self._asks_packages:
            self._index_other(s)
            return
        if _AVAILABILITY.search(test) is None:
            self._index_other(s)
            return
        other = any(x in test for x in ("not", "npu", "xla", "flex"))
        if "TYPE_CHECKING" in test or "is_torch_available" in test or ("is_torch_" in test and not other):
            self._index_nodes(s.body)
            return
        self._index_nodes(s.orelse)
        if "is_" in test and not s.orelse:
            for x in s.body:
                if isinstance(x, (ast.ClassDef, ast.FunctionDef)):
                    self.defs.setdefault(x.name, [x])


def imports_absent_package(body: list[ast.stmt]) -> bool:
    """`try: from apex... except ImportError:` - only torch, numpy, transformers and the standard library exist here."""
    for s in body:
        if isinstance(s, ast.Import):
            packages = [a.name for a in s.names]
        elif isinstance(s, ast.ImportFrom) and not s.level:
            packages = [s.module or ""]
        else:
            continue
        if any(p.split(".")[0] not in _PRESENT and p not in MODULES for p in packages):
            return True
    return False
