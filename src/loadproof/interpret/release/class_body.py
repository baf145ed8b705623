"""The body of a class statement of remote code, evaluated in order as Python does when the module is imported.

Every decorator, default, annotation and assignment is evaluated; what fails there fails the import. Classes of a release
are read lazily instead (`classes`), as their import is known to work.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from loadproof.interpret.language.errors import UnsupportedSyntax
from loadproof.interpret.language.grammar import called, decorated, expression, function_in, statement
from loadproof.interpret.language.objects import NO_DEFAULT
from loadproof.interpret.language.scope import CLASS, Scope
from loadproof.interpret.language.values import Function, Members, Value, function_of
from loadproof.interpret.release.class_members import allowed
from loadproof.interpret.release.definitions import ClassSource, FunctionSource, function_source
from loadproof.interpret.release.import_time import with_annotations
from loadproof.interpret.release.lazy_members import LazyProperty, past_dunders
from loadproof.interpret.release.ports import Fields, OwnFile

_PROPERTIES = frozenset(["property", "cached_property", "functools.cached_property"])
_KINDS = {"staticmethod": staticmethod, "classmethod": classmethod}
_IMPLIED = {"__init_subclass__": "classmethod", "__class_getitem__": "classmethod", "__new__": "staticmethod"}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


Method: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class ClassBody:
    """Fills `members` and `fields` of a class that is being made; `cells` are the scopes that wait for the class."""

    def __init__(self, file: OwnFile, members: Members, fields: Fields, outer: Scope | None) -> None:
        self.file, self.members, self.fields, self.outer = file, members, fields, outer
        self.scope = Scope(outer, file, file.world.budget)
        self.cells: list[Scope] = []
        self.scope["__module__"], self.scope["__qualname__"] = members["__module__"], members["__qualname__"]

    def run(self, source: ClassSource) -> list[Scope]:
        body = source.body if self.file.postponed else with_annotations(source.body)
        self._block(body)
        skip = ("__module__", "__qualname__", "__doc__", "__slots__", "__annotations__")
        for name, value in self.scope.items():
            if name not in skip:
                made = (
                    past_dunders(function_of(value)) if name == "__getattribute__" else value
                )  # however it came to that name
                self.members[allowed(name, self.members)] = made
        return self.cells

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        budget = self.file.world.budget
        budget.line = node.lineno
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._function(node)
        elif isinstance(node, ast.ClassDef):
            self.scope[node.name] = self.file.make_class(node, self.outer)
        elif isinstance(node, ast.If):
            self._block(node.body if expression(node.test)(self.scope) else node.orelse)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self._annotated(node, node.target.id)
        elif any(isinstance(inner, _DEFINITIONS) for inner in ast.walk(node)):
            raise UnsupportedSyntax(f"a definition inside of a {type(node).__name__} in a class (line {node.lineno})")
        else:
            self._check_names(node)
            statement(node)(self.scope)

    def _check_names(self, node: ast.AST) -> None:
        """Names of a class are not those of the comprehensions and lambdas in its body, but the first loop's range is."""
        inner = [n for n in ast.walk(node) if isinstance(n, (*_COMPREHENSIONS, ast.Lambda))]
        for part in inner:
            first = set() if isinstance(part, ast.Lambda) else set(ast.walk(part.generators[0].iter))
            names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name) and n not in first and n.id in self.scope}
            if names - {"__module__", "__qualname__"}:
                raise UnsupportedSyntax(f"a name of the class inside of a comprehension or lambda (line {part.lineno})")

    def _annotated(self, node: ast.AnnAssign, name: str) -> None:
        if node.value is not None:
            self.scope[name] = expression(node.value)(self.scope)
        elif name == "config":
            self.members["__config_annotation__"] = (self.file, node.annotation)
        if "ClassVar" not in ast.unparse(node.annotation):
            self.fields[name] = (self.scope[name] if node.value is not None else NO_DEFAULT, node.annotation, self.file)

    # ---- methods
    def _function(self, node: Method) -> None:
        texts = [ast.unparse(d).split("(")[0] for d in node.decorator_list]
        setter = next((t for t in texts if t.endswith((".setter", ".deleter", ".getter"))), None)
        wrappers = [called(d)(self.scope) for d in node.decorator_list]
        made = self._made(node)
        if setter is not None:
            self._accessor(node, made, setter)
        elif any(t in _PROPERTIES for t in texts):
            self.scope[node.name] = self._property(node, made, any("cached" in t for t in texts))
        else:
            self.scope[node.name] = self._wrapped(node, made, texts, wrappers)

    def _made(self, node: Method) -> Function:
        cell = Scope(self.outer, self.file, self.file.world.budget)
        cell[CLASS] = None
        self.cells.append(cell)
        return function_in(node, node.body, cell, self.scope)

    def _property(self, node: Method, made: Function, cached: bool) -> LazyProperty:
        found = LazyProperty(function_source(node), self.file, cached=cached)
        found.built["get"] = made
        return found

    def _accessor(self, node: Method, made: Function, which: str) -> None:
        known = self.scope.get(which.rpartition(".")[0])
        if not isinstance(known, LazyProperty) or not which.endswith(".setter"):
            raise UnsupportedSyntax(f"{which} (line {node.lineno})")
        source: FunctionSource = function_source(node)
        found = LazyProperty(known.getter_source, self.file, source, known.cached)
        found.built = {**known.built, "set": made}
        self.scope[node.name] = found

    def _wrapped(self, node: Method, made: Function, texts: list[str], wrappers: list[Function]) -> Value:
        member: Value = past_dunders(made) if node.name == "__getattribute__" else made
        kind = next((t for t in texts if t in _KINDS), _IMPLIED.get(node.name))
        for text, wrapper in zip(reversed(texts), reversed(wrappers), strict=True):
            member = member if text in _KINDS else decorated(wrapper, member)
        return _KINDS[kind](function_of(member)) if kind is not None else member
