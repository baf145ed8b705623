"""Targets of assignments and deletions: a syntax node becomes a closure that takes a scope, and the value to store."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from loadproof.interpret.language.closures import expression, indexed
from loadproof.interpret.language.errors import UnsupportedSyntax, certain
from loadproof.interpret.language.gate import delete, write
from loadproof.interpret.language.scope import Scope, is_private, mangled
from loadproof.interpret.language.values import Value, items_of

Store: TypeAlias = Callable[[Scope, Value], None]


def store(target: ast.expr) -> Store:
    """Closure that assigns. Raises UnsupportedSyntax for an unknown kind of target."""
    if isinstance(target, ast.Name):
        return _store_name(target.id)
    if isinstance(target, ast.Attribute):
        return _store_attribute(target)
    if isinstance(target, ast.Subscript):
        return _store_item(target)
    if isinstance(target, (ast.Tuple, ast.List)):
        return _unpack(target)
    raise UnsupportedSyntax("assignment to " + type(target).__name__)


def _store_name(name: str) -> Store:
    def run(env: Scope, value: Value) -> None:
        if env.redirected is None:
            env[name] = value
        else:
            env.assign(name, value)

    return run


def _store_attribute(target: ast.Attribute) -> Store:
    owner, name = expression(target.value), target.attr
    if is_private(name):
        return lambda env, value: write(owner(env), mangled(name, env), value)
    return lambda env, value: write(owner(env), name, value)


def _store_item(target: ast.Subscript) -> Store:
    owner, index = indexed(target.value), expression(target.slice)
    is_slice = isinstance(target.slice, ast.Slice)

    def run(env: Scope, value: Value) -> None:
        into = owner(env)
        if is_slice and isinstance(into, list) and isinstance(value, (list, tuple, str, dict, set)):
            env.budget.charge(len(into) + len(value), "list")
        into[index(env)] = value

    return run


def _unpack(target: ast.Tuple | ast.List) -> Store:
    starred = next((i for i, x in enumerate(target.elts) if isinstance(x, ast.Starred)), None)
    stores = [store(x.value if isinstance(x, ast.Starred) else x) for x in target.elts]

    def run(env: Scope, value: Value) -> None:
        parts = list(items_of(value))
        if starred is not None:
            if len(parts) < len(stores) - 1:
                raise ValueError(f"not enough values to unpack (expected at least {len(stores) - 1}, got {len(parts)})")
            cut = len(parts) - (len(stores) - starred - 1)
            parts = [*parts[:starred], parts[starred:cut], *parts[cut:]]
        if len(parts) > len(stores):
            raise ValueError(f"too many values to unpack (expected {len(stores)})")
        if len(parts) < len(stores):
            raise ValueError(f"not enough values to unpack (expected {len(stores)}, got {len(parts)})")
        for assign, part in zip(stores, parts, strict=True):
            assign(env, part)

    return run


# ---------------------------------------------------------------- del
def deletion(target: ast.expr) -> Callable[[Scope], None]:
    """Closure that deletes. Raises UnsupportedSyntax for an unknown kind of target."""
    if isinstance(target, ast.Name):
        return _delete_name(target.id)
    if isinstance(target, ast.Attribute):
        owner, attribute = expression(target.value), target.attr
        return lambda env: delete(owner(env), attribute)
    if isinstance(target, ast.Subscript):
        return _delete_item(target)
    raise UnsupportedSyntax("del of " + type(target).__name__)


def _delete_name(name: str) -> Callable[[Scope], None]:
    def run(env: Scope) -> None:
        if env.parent is None and name not in env and "__class__" not in env:
            raise certain(NameError(f"name '{name}' is not defined"))
        target = (env.redirected or {}).get(name, env)
        if name in env.bound and name not in env:
            raise env.file.unbound(name, is_local=True)
        target.pop(name, None)

    return run


def _delete_item(target: ast.Subscript) -> Callable[[Scope], None]:
    owner, index = indexed(target.value), expression(target.slice)

    def run(env: Scope) -> None:
        del owner(env)[index(env)]

    return run
