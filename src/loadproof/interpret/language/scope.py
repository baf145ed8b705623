"""Names: one scope per function call or comprehension, falling through to the enclosing ones and to the file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from typing import Any

from loadproof.interpret.language.limits import Budget

# Names that no source text can spell: what a call keeps beside its own.
CLASS, SELF, YIELDS, CAUGHT = ":class", ":self", ":yields", ":caught"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope(dict[str, Any]):
    """One scope. A miss falls through to the parent, then to the file's lazily evaluated names.

    `bound` are the names that the function binds somewhere: until it does, they are not looked for further out.
    """

    __slots__ = ("bound", "budget", "comprehension", "file", "parent", "redirected")

    def __init__(self, parent: Scope | None, file: Any, budget: Budget, comprehension: bool = False) -> None:
        self.parent, self.file, self.budget, self.comprehension = parent, file, budget, comprehension
        self.redirected: dict[str, dict[str, Any]] | None = None  # names declared global or nonlocal
        self.bound: frozenset[str] = frozenset()

    def __missing__(self, name: str) -> Any:
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

    def _declared(self, target: dict[str, Any], name: str) -> Any:
        """A name that is declared global, or nonlocal."""
        return self.file.resolve(name) if target is self.file.globals else target[name]

    def assign(self, name: str, value: Any) -> None:
        target: dict[str, Any] = self
        if self.redirected is not None:
            target = self.redirected.get(name, self)
        target[name] = value

    def redirect(self, name: str, target: dict[str, Any]) -> None:
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


def names_bound(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that the statements of a function bind in its own scope, whether they are reached or not."""
    found: set[str] = set()
    elsewhere: set[str] = set()  # declared global or nonlocal
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                found.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((a.asname or a.name).split(".")[0] for a in node.names)
        else:
            todo += _inside(node, found)
    return frozenset(found - elsewhere)


def _inside(node: ast.AST, found: set[str]) -> Iterable[ast.AST]:
    """The parts of a node that belong to the same scope; adds the name that the node itself binds."""
    if isinstance(node, _DEFINITIONS):
        found.add(node.name)
        return ()  # decorators, defaults and bases only bind by `:=`, which nobody writes there
    if isinstance(node, ast.Lambda):
        return ()
    if isinstance(node, _COMPREHENSIONS):  # its targets are its own, what `:=` binds is the function's
        return (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
    if isinstance(node, ast.ExceptHandler) and node.name:
        found.add(node.name)
    return ast.iter_child_nodes(node)


def is_private(name: str) -> bool:
    """Whether Python puts the class's name before it: `__cache`, not `__init__`."""
    return name.startswith("__") and not name.endswith("__")


def mangled(name: str, env: Scope) -> str:
    """A private name as the class whose method is being evaluated keeps it; unchanged outside of classes."""
    scope: Scope | None = env
    while scope is not None and CLASS not in scope:
        scope = scope.parent
    owner = scope[CLASS] if scope is not None else None
    return name if owner is None else mangled_in(name, owner.__name__)


def mangled_in(name: str, owner: str) -> str:
    """A private name in the class `owner`; any other name as it is."""
    owner = owner.lstrip("_")
    return f"_{owner}{name}" if owner and is_private(name) else name
