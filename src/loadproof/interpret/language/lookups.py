"""Constants, names, attributes and items."""

from __future__ import annotations

import ast
from types import GenericAlias

from loadproof.interpret.language.closures import Closure, Expressions, expression, indexed
from loadproof.interpret.language.gate import check_name, read, reader
from loadproof.interpret.language.scope import CLASS, Scope, is_private, mangled
from loadproof.interpret.language.values import Indexed, Value

_COPIED = (list, tuple, str, bytes)


def _constant(node: ast.Constant) -> Closure:
    value = node.value
    return lambda _: value


def _name(node: ast.Name) -> Closure:
    name = CLASS if node.id == "__class__" else node.id
    return lambda env: env[name]


def _attribute(node: ast.Attribute) -> Closure:
    owner, name = expression(node.value), node.attr
    if is_private(name):
        return lambda env: read(owner(env), mangled(name, env))
    check_name(name)
    if name.startswith("_"):
        return lambda env: read(owner(env), name)
    return reader(owner, name)


def _subscript(node: ast.Subscript) -> Closure:
    owner, index = indexed(node.value), expression(node.slice)
    if isinstance(node.slice, ast.Slice):
        return lambda env: _sliced(owner(env), index(env), env)

    def run(env: Scope) -> Value:
        whole = owner(env)
        found = whole[index(env)]
        return whole if type(found) is GenericAlias else found  # a class stands for all that it may be of

    return run


def _sliced(owner: Indexed, index: Value, env: Scope) -> Value:
    """A slice copies: it is counted, once it is there, as it is no longer than what it was cut from."""
    part = owner[index]
    if isinstance(part, _COPIED) and type(part) in _COPIED and len(part) > 4096:
        env.budget.charge(len(part), "slice")
    return part


def _slice(node: ast.Slice) -> Closure:
    parts = [expression(v) if v is not None else (lambda _: None) for v in (node.lower, node.upper, node.step)]
    return lambda env: slice(*[p(env) for p in parts])


def _walrus(node: ast.NamedExpr) -> Closure:
    value, name = expression(node.value), node.target.id

    def run(env: Scope) -> Value:
        result, target = value(env), env
        while target.comprehension and target.parent is not None:
            target = target.parent
        target.assign(name, result)
        return result

    return run


EXPRESSIONS: Expressions = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.NamedExpr: _walrus,
}
