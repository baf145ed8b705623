"""Definitions found in a source text, parsed only when they are needed."""

from __future__ import annotations

import ast
from typing import Any, TypeAlias

from loadproof.interpret.language.errors import UnsupportedSyntax
from loadproof.interpret.release.coding import NOWHERE
from loadproof.interpret.release.source_text import Chunk, body_indent, split

_SMALL = 2_500  # characters; a smaller class is parsed whole


def parse(text: str, line: int = 1) -> list[ast.stmt]:
    """Statements of a text that starts at `line` of its file. Raises SyntaxError, RecursionError or MemoryError."""
    indented = text[:1] in " \t"
    head = "\n" * (line - 2 if indented else line - 1) + ("if 1:\n" if indented else "")
    tree = ast.parse(head + text, NOWHERE)
    return tree.body[0].body if indented and tree.body else tree.body  # type: ignore[attr-defined]


class FunctionSource:
    """A function: its name and decorators at once, its syntax tree on demand."""

    def __init__(
        self,
        name: str,
        decorators: list[str],
        node: ast.FunctionDef | ast.AsyncFunctionDef | None,
        chunk: Chunk | None = None,
    ) -> None:
        self.name, self.decorators, self._node, self._chunk = name, decorators, node, chunk

    def node(self) -> Any:
        if self._node is None and self._chunk is not None:
            self._node = parse(self._chunk.text, self._chunk.line)[0]  # type: ignore[assignment]
            self._node.lacks_yield = "yield" not in self._chunk.text  # type: ignore[union-attr]
        return self._node


Member: TypeAlias = FunctionSource | ast.stmt


class ClassSource:
    """A class: header parsed, members as statements or `FunctionSource`s."""

    def __init__(self, name: str, bases: list[ast.expr], keywords: list[ast.keyword], decorators: list[str]) -> None:
        self.name, self.bases, self.keywords, self.decorators = name, bases, keywords, decorators
        self.members: list[Member] = []
        self.body: list[ast.stmt] = []

    def functions(self) -> set[str]:
        return {m.name for m in self.members if isinstance(m, FunctionSource)}

    def without(self, names: set[str]) -> ClassSource:
        """A copy that lacks these methods."""
        return self._copy([m for m in self.members if not (isinstance(m, FunctionSource) and m.name in names)])

    def _copy(self, members: list[Member]) -> ClassSource:
        copy = ClassSource(self.name, self.bases, self.keywords, self.decorators)
        copy.members = members
        return copy


def function_source(node: ast.FunctionDef | ast.AsyncFunctionDef) -> FunctionSource:
    return FunctionSource(node.name, [ast.unparse(d) for d in node.decorator_list], node)


def class_source(node: ast.ClassDef) -> ClassSource:
    made = ClassSource(node.name, node.bases, node.keywords, [ast.unparse(d) for d in node.decorator_list])
    made.members, made.body = [_member(s) for s in node.body], node.body
    return made


def _member(node: ast.stmt) -> Member:
    return function_source(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else node


def class_from_chunk(chunk: Chunk) -> ClassSource:
    """A class whose methods stay text until they are called."""
    found = chunk.defines()
    members = _split_members(chunk) if len(chunk.text) > _SMALL else None
    if found is None or members is None:
        return _parsed_whole(chunk)
    header: Any = parse(chunk.text[: members[0]].rstrip() + "\n    pass\n", chunk.line)[0]
    made = class_source(header)
    made.members = []
    for member in members[1]:
        made.members += _chunk_members(member)
    return made


def _parsed_whole(chunk: Chunk) -> ClassSource:
    node: Any = parse(chunk.text, chunk.line)[0]
    if "yield" not in chunk.text:
        for member in node.body:
            member.lacks_yield = True
    return class_source(node)


def _split_members(chunk: Chunk) -> tuple[int, list[Chunk]] | None:
    """(where the body starts, its statements), None when the body is not of the usual form."""
    start = _header_end(chunk)
    indent = body_indent(chunk.text, start - 1) if start else ""
    if not indent:
        return None
    body = chunk.text[start:]
    return start, split(body, chunk.line + chunk.text.count("\n", 0, start), indent)


def _header_end(chunk: Chunk) -> int:
    """Offset behind the line that ends the class header; 0 when it is not found."""
    depth, at = 0, chunk.head
    for line in chunk.text[chunk.head :].split("\n"):
        code = line.split("#")[0]
        depth += code.count("(") + code.count("[") - code.count(")") - code.count("]")
        at += len(line) + 1
        if depth <= 0:
            return at if code.rstrip().endswith(":") else 0
    return 0


def _chunk_members(chunk: Chunk) -> list[Member]:
    found = chunk.defines()
    if found is not None and found[0] == "def":
        return [FunctionSource(found[1], chunk.decorators(), None, chunk)]
    return [_member(s) for s in parse(chunk.text, chunk.line)]


def definition_source(d: Chunk | ast.stmt) -> ClassSource | FunctionSource:
    """A definition, parsed as far as it is needed. Raises UnsupportedSyntax for what is neither class nor function."""
    if isinstance(d, Chunk):
        if (d.defines() or ("",))[0] == "class":
            return class_from_chunk(d)
        node = parse(d.text, d.line)[0]
        node.lacks_yield = "yield" not in d.text  # type: ignore[attr-defined]
        d = node
    if isinstance(d, ast.ClassDef):
        return class_source(d)
    if isinstance(d, ast.FunctionDef):
        return function_source(d)
    raise UnsupportedSyntax(type(d).__name__)
