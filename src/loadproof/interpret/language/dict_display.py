"""Displays of dictionaries; a large one of a release evaluates its values when they are looked at."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from loadproof.interpret.language.closures import Closure, Expressions, expression, iterated, mapped
from loadproof.interpret.language.lazy_dict import LARGE, LazyDict
from loadproof.interpret.language.lazy_list import LazyList, Source
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Value

Whole: TypeAlias = Callable[[Scope], Mapping[str, Value]]  # of what stands behind two stars


def _dict(node: ast.Dict) -> Closure:
    names = _constant_names(node) if _is_large(node) else None
    if names is None:
        return _plain_dict(node)
    plain: list[Closure] = []

    def run(env: Scope) -> Value:
        if env.file.name.startswith("transformers.") and not _bound_here(env, names):
            return LazyDict(_late_values(node, env))
        if not plain:
            plain.append(_plain_dict(node))
        return plain[0](env)

    return run


def _plain_dict(node: ast.Dict) -> Closure:
    pairs = [_pair(key, value) for key, value in zip(node.keys, node.values, strict=True)]

    def run(env: Scope) -> Value:
        out: dict[Value, Value] = {}
        for key, value, whole in pairs:
            if whole is None:
                out[key(env)] = value(env)
            else:
                out.update(whole(env))
        return out

    return run


def _pair(key: ast.expr | None, value: ast.expr) -> tuple[Closure, Closure, Whole | None]:
    if key is None:
        return _unused, _unused, mapped(value)
    return expression(key), expression(value), None


def _unused(_: Scope) -> Value:
    return None


# ---------------------------------------------------------------- large displays
def _is_large(node: ast.Dict) -> bool:
    return len(node.keys) >= LARGE and all(isinstance(key, ast.Constant) for key in node.keys)


def _late_values(node: ast.Dict, env: Scope) -> dict[Value, Callable[[], Value]]:
    pairs = zip(node.keys, node.values, strict=True)
    return {key.value: partial(_late, value, env) for key, value in pairs if isinstance(key, ast.Constant)}


def _late(node: ast.expr, env: Scope) -> Value:
    """The value of a display's entry, turned into a closure only now: most are never asked for."""
    if isinstance(node, ast.List):
        return LazyList(Source(lambda: iterated(node)(env)))
    return expression(node)(env)


def _constant_names(node: ast.Dict) -> frozenset[str] | None:
    """The names a display uses, None when it could change something while it is evaluated."""
    names: set[str] = set()
    todo: list[ast.AST] = list(node.values)
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Name):
            names.add(item.id)
        elif isinstance(item, (ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await)):
            return None
        elif not isinstance(item, ast.Constant):
            todo.extend(ast.iter_child_nodes(item))
    return frozenset(names)


def _bound_here(env: Scope, names: frozenset[str]) -> bool:
    """Whether one of the names belongs to a function's scope, where it may change before it is looked at."""
    scope: Scope | None = env
    while scope is not None:
        if any(n in scope for n in names):
            return True
        scope = scope.parent
    return False


EXPRESSIONS: Expressions = {ast.Dict: _dict}
