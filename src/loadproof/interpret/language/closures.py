"""Syntax becomes closures: a node's kind is looked up in a table; the closure takes a scope and gives a value.

`grammar` fills the tables. The files behind it find each other here and need not import one another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from loadproof.interpret.language.errors import NotUnderstood, UnsupportedSyntax
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Function, Indexed, Manager, Value

Closure: TypeAlias = Callable[[Scope], Value]


class Jump:
    """How `break` and `continue` leave nested statements."""


class Returned:
    """Carries a `return` value out of nested statements."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


BREAK, CONTINUE = Jump(), Jump()
Ending: TypeAlias = Jump | Returned | None  # of a statement: None goes on with the next one
Step: TypeAlias = Callable[[Scope], Ending]
Expressions: TypeAlias = dict[type[ast.expr], Callable[[Any], Callable[[Scope], Any]]]
Statements: TypeAlias = dict[type[ast.stmt], Callable[[Any], Step]]
EXPRESSIONS: Expressions = {}
STATEMENTS: Statements = {}


def expression(node: ast.expr) -> Closure:
    """Closure of an expression. Raises UnsupportedSyntax for what the subset lacks."""
    return _closure(node)


# What a value is used for is the evaluated code's own affair: where it is no such thing, Python raises its TypeError.
def called(node: ast.expr) -> Callable[[Scope], Function]:
    return _closure(node)


def iterated(node: ast.expr) -> Callable[[Scope], Iterable[Value]]:
    return _closure(node)


def mapped(node: ast.expr) -> Callable[[Scope], Mapping[str, Value]]:
    return _closure(node)


def indexed(node: ast.expr) -> Callable[[Scope], Indexed]:
    return _closure(node)


def entered(node: ast.expr) -> Callable[[Scope], Manager]:
    return _closure(node)


def text(node: ast.expr) -> Callable[[Scope], str]:
    """Of the parts of an f-string, which are texts."""
    return _closure(node)


def _closure(node: ast.expr) -> Callable[[Scope], Any]:
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise UnsupportedSyntax(type(node).__name__)
    return handler(node)


def statement(node: ast.stmt) -> Step:
    """Unsupported syntax raises when it is reached, never earlier: a constructor must not fail over its neighbour's body."""
    handler = STATEMENTS.get(type(node))
    try:
        if handler is None:
            raise UnsupportedSyntax(type(node).__name__)
        return handler(node)
    except NotUnderstood as problem:
        kind, text = type(problem), f"{problem} (line {node.lineno})"

        def reached(_: Scope) -> Ending:
            raise kind(text)

        return reached


def block(body: Sequence[ast.stmt]) -> Step:
    steps = [statement(s) for s in body]
    if len(steps) == 1:
        return steps[0]

    def run(env: Scope) -> Ending:
        for step in steps:
            result = step(env)
            if result is not None:
                return result
        return None

    return run


def nothing(_: ast.stmt) -> Step:
    return lambda _: None
