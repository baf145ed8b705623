"""A file of a library whose functions run, not only its constructors: `if TYPE_CHECKING` is false, stars are followed,
contexts are entered and left."""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.contexts import context_maker
from loadproof.interpret.language.grammar import method
from loadproof.interpret.language.scope import LOCALS, Scope
from loadproof.interpret.language.values import Members, Value
from loadproof.interpret.release.definitions import ClassSource, FunctionSource, definition_source
from loadproof.interpret.release.name_index import NameImport, NameIndex
from loadproof.interpret.release.ports import Fields, World
from loadproof.interpret.release.source_file import SourceFile
from loadproof.interpret.release.source_text import Chunk

_TYPES_ONLY = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


class FollowedIndex(NameIndex):
    """`stars` are the modules whose names are imported all."""

    def __init__(self, text: str) -> None:
        self.stars: list[NameImport] = []
        super().__init__(text)

    def _index_node(self, s: ast.stmt) -> None:
        if isinstance(s, ast.ImportFrom) and any(a.name == "*" for a in s.names):
            self.stars.append(NameImport(s.level, s.module, "*"))
        else:
            super()._index_node(s)

    def _index_if(self, s: ast.If) -> None:
        if ast.unparse(s.test) in _TYPES_ONLY:
            self._index_nodes(s.orelse)
        else:
            super()._index_if(s)


class FollowedFile(SourceFile):
    """`stars` are looked through for names that the file itself does not define."""

    def __init__(self, world: World, name: str, path: str) -> None:
        self.stars: list[NameImport] = []
        super().__init__(world, name, path)
        self.globals["locals"] = LOCALS

    def _index(self, text: str, asks_packages: bool) -> NameIndex:  # noqa: ARG002
        made = FollowedIndex(text)
        self.stars = made.stars
        return made

    def _definition(self, d: Chunk | ast.stmt) -> Value:
        source = definition_source(d)
        if isinstance(source, FunctionSource) and _is_context(source):
            return context_maker(source.node(), self, None)
        return method(source.node(), self, None) if isinstance(source, FunctionSource) else self.make_class(source)

    def fill_class(self, source: ClassSource, members: Members, fields: Fields, env: Scope | None) -> list[Scope]:
        cells = super().fill_class(source, members, fields, env)
        for member in source.members:
            if isinstance(member, FunctionSource) and _is_context(member):
                members[member.name] = LazyContext(member, self)
        return cells


class LazyContext:
    """A method under `@contextmanager`, built when it is first used."""

    def __init__(self, source: FunctionSource, file: FollowedFile) -> None:
        self.source, self.file = source, file
        self.made: Any = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __get__(self, obj: Value, cls: type) -> Value:
        if self.made is None:
            self.made = context_maker(self.source.node(), self.file, self.owner)
        made: Value = self.made.__get__(obj, cls)
        return made


def _is_context(source: FunctionSource) -> bool:
    return any(decorator.split("(")[0].endswith("contextmanager") for decorator in source.decorators)
