"""Names: one scope per function call or comprehension, falling through to the enclosing ones and to the file."""

from __future__ import annotations

import ast
import sys
from typing import Protocol

from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.limits import Budget
from loadproof.interpret.language.values import Class, Names, Value

# Names that no source text can spell: what a call keeps beside its own.
CLASS, SELF, YIELDS, CAUGHT = ":class", ":self", ":yields", ":caught"


def LOCALS() -> Value:  # noqa: N802 - a constant: the builtin `locals`, where a file may use it
    """Called through another name, it is not known whose scope is meant."""
    raise UnknownUsed("locals() under another name")


class World(Protocol):
    """What the language needs of the library that a file belongs to."""

    budget: Budget


class File(Protocol):
    """What the language needs of the file whose text it evaluates: its names, its classes and its imports."""

    name: str
    label: str

    @property
    def globals(self) -> Names: ...
    @property
    def world(self) -> World: ...
    def resolve(self, name: str) -> Value: ...
    def unbound(self, name: str, *, is_local: bool) -> Exception: ...
    def make_class(self, source: ast.ClassDef, env: Scope | None = None) -> Class: ...
    def import_module(self, name: str, alias: str | None, line: int) -> Value: ...
    def import_from(self, level: int, module: str | None, name: str, line: int) -> Value: ...
    def import_all(self, level: int, module: str | None, line: int) -> Names: ...


class Scope(dict[str, Value]):
    """One scope. A miss falls through to the parent, then to the file's lazily evaluated names.

    `bound` are the names that the function binds somewhere: until it does, they are not looked for further out.
    """

    __slots__ = ("bound", "budget", "comprehension", "file", "parent", "redirected")

    def __init__(self, parent: Scope | None, file: File, budget: Budget, comprehension: bool = False) -> None:
        self.parent, self.file, self.budget, self.comprehension = parent, file, budget, comprehension
        self.redirected: dict[str, Names] | None = None  # names declared global or nonlocal
        self.bound: frozenset[str] = frozenset()

    def __missing__(self, name: str) -> Value:
        scope: Scope = self
        while True:
            if scope.redirected is not None and name in scope.redirected:
                return self._declared(scope.redirected[name], name)
            if name in scope.bound:
                raise self.file.unbound(name, is_local=scope is self or (_INLINED and scope is _function_of(self)))
            if scope.parent is None:
                return self.file.resolve(name)
            scope = scope.parent
            if name in scope:
                return scope[name]

    def _declared(self, target: Names, name: str) -> Value:
        """A name that is declared global, or nonlocal."""
        return self.file.resolve(name) if target is self.file.globals else target[name]

    def assign(self, name: str, value: Value) -> None:
        target: Names = self
        if self.redirected is not None:
            target = self.redirected.get(name, self)
        target[name] = value

    def redirect(self, name: str, target: Names) -> None:
        self.redirected = {**(self.redirected or {}), name: target}

    def owner_of(self, name: str) -> Scope:
        """The enclosing function scope that a `nonlocal` name belongs to."""
        scope = self.parent
        while scope is not None and name not in scope:
            scope = scope.parent
        if scope is None:
            raise SyntaxError(f"no binding for nonlocal '{name}' found")
        return scope


_INLINED = sys.version_info >= (3, 12)  # comprehensions are no functions of their own


def _function_of(scope: Scope) -> Scope:
    """The scope in which a comprehension stands."""
    while scope.comprehension and scope.parent is not None:
        scope = scope.parent
    return scope


def is_private(name: str) -> bool:
    """Whether Python puts the class's name before it: `__cache`, not `__init__`."""
    return name.startswith("__") and not name.endswith("__")


def mangled(name: str, env: Scope) -> str:
    """A private name as the class whose method is being evaluated keeps it; unchanged outside of classes."""
    scope: Scope | None = env
    while scope is not None and CLASS not in scope:
        scope = scope.parent
    owner = scope[CLASS] if scope is not None else None
    return mangled_in(name, owner.__name__) if isinstance(owner, type) else name


def mangled_in(name: str, owner: str) -> str:
    """A private name in the class `owner`; any other name as it is."""
    owner = owner.lstrip("_")
    return f"_{owner}{name}" if owner and is_private(name) else name
