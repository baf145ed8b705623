"""Which names the statements of a function bind."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


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
