"""One source file: an index of its top-level names; a name is evaluated when it is first asked for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.errors import NotUnderstood, SourceMissing
from loadproof.interpret.language.grammar import expression, method, statement
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Class, Members, Names, Value
from loadproof.interpret.release import class_members, classes, lazy_members
from loadproof.interpret.release.definitions import (
    ClassSource,
    FunctionSource,
    class_source,
    definition_source,
    parse,
)
from loadproof.interpret.release.name_index import Definition, ModuleImport, NameImport, NameIndex
from loadproof.interpret.release.packages import why_undefined
from loadproof.interpret.release.ports import Fields, File, World
from loadproof.interpret.release.source_text import Chunk


class SourceFile:
    """`defs` maps a name to its definitions in order: chunks, syntax nodes or import tuples."""

    _stars: Sequence[NameImport] = ()

    def __init__(self, world: World, name: str, path: str, *, asks_packages: bool = False) -> None:
        self.world, self.name, self.path, self.label = world, name, path, path.rpartition("/")[2]
        self.is_package = self.label == "__init__.py"
        self.globals: Names = {"__name__": name, "__file__": self.label}
        index = self._index(world.text(path), asks_packages)
        self.defs, self._stars = index.defs, index.stars
        self.busy: set[str] = set()

    def _index(self, text: str, asks_packages: bool) -> NameIndex:
        """The top-level names of the text, as such a file is read."""
        return NameIndex(text, asks_packages=asks_packages)

    # ---- names
    def resolve(self, name: str) -> Value:
        """The value of a top-level name, or of a builtin. Raises NotUnderstood when there is no such name."""
        found = self.globals
        if name in found:
            return found[name]
        if name not in self.defs:
            if name in BUILTINS:
                return BUILTINS[name]
            origin = self._origin(name)
            if origin is not None:
                return origin.resolve(name)
            raise NotUnderstood(why_undefined(name, self.label, self.world.text(self.path)))
        if name in self.busy:
            raise NotUnderstood(f"{self.label}: {name} is defined through itself")
        self.busy.add(name)
        try:
            self._evaluate(name)
        finally:
            self.busy.discard(name)
        return found[name]

    def _evaluate(self, name: str) -> None:
        glue = self.world.glue(self.name, name)
        if glue is not None:
            self.globals[name] = glue
            return
        budget = self.world.budget
        line, file = budget.line, budget.file
        budget.file = self.label
        try:
            for definition in self.defs[name]:
                self._define(name, definition)
        except Exception as problem:
            budget.note(problem)
            raise
        finally:
            budget.line, budget.file = line, file
        if name not in self.globals:
            raise SourceMissing(f"{self.label} does not define {name}")

    def _define(self, name: str, d: Definition) -> None:
        if isinstance(d, ModuleImport):
            self.globals[name] = self.world.import_module(self, d.name)
        elif isinstance(d, NameImport):
            self.globals[name] = self.world.import_from(self, d.level, d.module, d.name)
        elif isinstance(d, Chunk) and d.defines() is None:
            for node in parse(d.text, d.line):
                self._run(node)
        elif isinstance(d, (Chunk, ast.ClassDef, ast.FunctionDef)):
            self.globals[name] = self._definition(d)
        else:
            self._run(d)

    def _definition(self, d: Chunk | ast.stmt) -> Value:
        source = definition_source(d)
        if isinstance(source, ClassSource):
            return self.make_class(source)
        if any("as_validated_field" in x for x in source.decorators):
            return lazy_members.plain_field
        if any(x.endswith("contextmanager") for x in source.decorators):
            return lazy_members.any_context
        return method(source.node(), self, None)

    def _run(self, node: ast.stmt) -> None:
        env = Scope(None, self, self.world.budget)
        statement(node)(env)
        self.globals.update(env)

    def unbound(self, name: str, *, is_local: bool) -> Exception:
        """The exception for a name that a function of this file reads before it binds it."""
        if is_local:
            return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
        where = "where it is not associated with a value in enclosing scope"
        return NameError(f"cannot access free variable '{name}' {where}")

    def evaluate(self, node: ast.expr, local: Names | None = None) -> Value:
        env = Scope(None, self, self.world.budget)
        env.update(local or {})
        return expression(node)(env)

    def class_definition(self, name: str) -> ClassSource | None:
        """The class statement of this name, even when the name is bound again later."""
        for d in self.defs.get(name, ()):
            if isinstance(d, ast.ClassDef) or (isinstance(d, Chunk) and (d.defines() or ("",))[0] == "class"):
                source = definition_source(d)
                return source if isinstance(source, ClassSource) else None
        return None

    def function_source(self, name: str) -> FunctionSource | None:
        """The last function of this name, unevaluated."""
        d = next(reversed(self.defs.get(name, ())), None)
        is_function = isinstance(d, ast.FunctionDef) or (isinstance(d, Chunk) and (d.defines() or ("",))[0] == "def")
        source = definition_source(d) if is_function else None  # type: ignore[arg-type]
        return source if isinstance(source, FunctionSource) else None

    def defines(self, name: str) -> bool:
        return name in self.defs or self._origin(name) is not None

    def _origin(self, name: str) -> File | None:
        """The file that a name comes from through `from module import *`; a private one does not."""
        if not self._stars or name.startswith("_") or name in self.busy:
            return None
        self.busy.add(name)  # modules may import everything of each other
        try:
            found = (self.world.file(self._absolute(star)) for star in self._stars)
            return next((file for file in found if file is not None and file.defines(name)), None)
        finally:
            self.busy.discard(name)

    def _absolute(self, star: NameImport) -> str:
        package = self.name.split(".") if self.is_package else self.name.split(".")[:-1]
        base = package[: len(package) - (star.level - 1)] if star.level else []
        return ".".join([*base, *([star.module] if star.module else [])])

    def assigns(self, name: str) -> bool:
        """Whether the file itself gives a value to this name, rather than importing it."""
        first = next(iter(self.defs.get(name, ())), None)
        return first is not None and (isinstance(first, (Chunk, ast.stmt)))

    def replay(self, name: str) -> None:
        """Run what this file does to an imported name, whose value must stand in `globals`."""
        for definition in self.defs.get(name, ()):
            if isinstance(definition, (Chunk, ast.stmt)):
                self._define(name, definition)

    def syntax_of(self, name: str) -> ast.expr:
        """The expression assigned to a top-level name, unevaluated."""
        d = self.defs[name][-1]
        node: Any = parse(d.text, d.line)[0] if isinstance(d, Chunk) else d
        value: ast.expr = node.value
        return value

    def make_class(self, source: ast.ClassDef | ClassSource, env: Scope | None = None) -> Class:
        if isinstance(source, ast.ClassDef):
            source = class_source(source)
        return classes.make_class(self, source, env)

    def fill_class(self, source: ClassSource, members: Members, fields: Fields, env: Scope | None) -> list[Scope]:
        """Add what the body of a class statement defines; returns the scopes that wait for the class itself."""
        return class_members.fill(self, source, members, fields, env)

    # ---- imports; `line` is where the statement stands
    def import_module(self, name: str, alias: str | None, line: int) -> Value:  # noqa: ARG002
        return self.world.import_module(self, name if alias else name.split(".")[0])

    def import_from(self, level: int, module: str | None, name: str, line: int) -> Value:  # noqa: ARG002
        return self.world.import_from(self, level, module, name)

    def import_all(self, level: int, module: str | None, line: int) -> Names:  # noqa: ARG002
        raise NotUnderstood(f"{self.label}:{line} imports every name of a module")
