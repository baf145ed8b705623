"""Displays of lists, tuples and sets, and calls: what is written one after the other, with or without a star."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from loadproof.interpret.language.closures import Closure, Expressions, called, expression, iterated, mapped
from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import make_super
from loadproof.interpret.language.scope import CLASS, LOCALS, SELF, Scope
from loadproof.interpret.language.values import Function, Names, Value

Starred: TypeAlias = Callable[[Scope], Iterable[Value]]
Item: TypeAlias = tuple[Starred | None, Closure]  # a starred item, or a plain one behind None
Keyword: TypeAlias = tuple[str, Closure, Callable[[Scope], Mapping[str, Value]] | None]  # or one behind two stars


def _items(nodes: Sequence[ast.expr]) -> list[Item]:
    return [(iterated(n.value), _unused) if isinstance(n, ast.Starred) else (None, expression(n)) for n in nodes]


def _unused(_: Scope) -> Value:
    return None


def _collect(items: list[Item], env: Scope) -> list[Value]:
    out: list[Value] = []
    for starred, item in items:
        if starred is None:
            out.append(item(env))
        else:
            out.extend(starred(env))
            env.budget.charge(len(out), "list")
    return out


def _list(node: ast.List) -> Closure:
    items = _items(node.elts)
    return lambda env: _collect(items, env)


def _tuple(node: ast.Tuple) -> Closure:
    items = _items(node.elts)
    return lambda env: tuple(_collect(items, env))


def _set(node: ast.Set) -> Closure:
    items = _items(node.elts)
    return lambda env: set(_collect(items, env))


# ---------------------------------------------------------------- calls
def _call(node: ast.Call) -> Closure:
    function, args = called(node.func), _items(node.args)
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not args:
        return _bare_super
    if isinstance(node.func, ast.Name) and node.func.id == "locals" and not args:
        return lambda env: _locals(function(env), env)
    if node.keywords or any(starred is not None for starred, _ in args):
        return _full_call(function, args, node.keywords)
    plain = [item for _, item in args]
    if len(plain) == 1:
        only = plain[0]
        return lambda env: function(env)(only(env))
    return lambda env: function(env)(*[a(env) for a in plain])


def _locals(given: Function, env: Scope) -> Value:
    """`locals()`, in the files of a library that may ask for it: the names of the function's own scope."""
    return {name: value for name, value in env.items() if name.isidentifier()} if given is LOCALS else given()


def _bare_super(env: Scope) -> Value:
    try:
        owner, receiver = env[CLASS], env[str(env[SELF])]
    except NameError:  # neither name can be spelled: a function that is no method, or takes nothing
        raise certain(RuntimeError("super(): no arguments")) from None
    found: Value = make_super(owner, receiver)
    return found


def _full_call(function: Callable[[Scope], Function], args: list[Item], given: list[ast.keyword]) -> Closure:
    keywords = [_keyword(k) for k in given]

    def run(env: Scope) -> Value:
        target, positional = function(env), _collect(args, env)
        named: Names = {}
        for name, value, whole in keywords:
            if whole is None:
                named[name] = value(env)
            else:
                named.update(whole(env))
        return target(*positional, **named)

    return run


def _keyword(k: ast.keyword) -> Keyword:
    return ("", _unused, mapped(k.value)) if k.arg is None else (k.arg, expression(k.value), None)


EXPRESSIONS: Expressions = {ast.List: _list, ast.Tuple: _tuple, ast.Set: _set, ast.Call: _call}
