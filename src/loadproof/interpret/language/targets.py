"""Assignment targets: a syntax node becomes a closure that takes a scope and the value to store."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.errors import UnsupportedSyntax
from loadproof.interpret.language.expressions import expression
from loadproof.interpret.language.gate import write
from loadproof.interpret.language.scope import Scope, is_private, mangled

Store = Callable[[Scope, Any], None]


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
    def run(env: Scope, value: Any) -> None:
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
    owner, index = expression(target.value), expression(target.slice)
    is_slice = isinstance(target.slice, ast.Slice)

    def run(env: Scope, value: Any) -> None:
        into = owner(env)
        if is_slice and isinstance(into, list) and isinstance(value, (list, tuple, str, dict, set)):
            env.budget.charge(len(into) + len(value), "list")
        into[index(env)] = value

    return run


def _unpack(target: ast.Tuple | ast.List) -> Store:
    starred = next((i for i, x in enumerate(target.elts) if isinstance(x, ast.Starred)), None)
    stores = [store(x.value if isinstance(x, ast.Starred) else x) for x in target.elts]

    def run(env: Scope, value: Any) -> None:
        parts = list(value)
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
