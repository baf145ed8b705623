"""Operators, comparisons and conditions as expressions, and the f-strings."""

from __future__ import annotations

import ast

from loadproof.interpret.language.closures import Closure, Expressions, expression, text
from loadproof.interpret.language.operators import BINARY, COMPARE, UNARY
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.text import format_value, show_repr
from loadproof.interpret.language.values import Value


def _binary(node: ast.BinOp) -> Closure:
    left, right, function = expression(node.left), expression(node.right), BINARY[type(node.op)]
    return lambda env: function(left(env), right(env))


def _unary(node: ast.UnaryOp) -> Closure:
    operand, function = expression(node.operand), UNARY[type(node.op)]
    return lambda env: function(operand(env))


def _boolean(node: ast.BoolOp) -> Closure:
    parts, stop_on = [expression(v) for v in node.values], isinstance(node.op, ast.Or)
    last = parts.pop()

    def run(env: Scope) -> Value:
        for part in parts:
            value = part(env)
            if bool(value) is stop_on:
                return value
        return last(env)

    return run


def _compare(node: ast.Compare) -> Closure:
    first = expression(node.left)
    rest = [(COMPARE[type(o)], expression(c)) for o, c in zip(node.ops, node.comparators, strict=True)]
    if len(rest) == 1:
        function, right = rest[0]
        return lambda env: function(first(env), right(env))

    def run(env: Scope) -> Value:
        left = first(env)
        for function, right in rest:
            value = right(env)
            if not function(left, value):
                return False
            left = value
        return True

    return run


def _conditional(node: ast.IfExp) -> Closure:
    test, then, other = expression(node.test), expression(node.body), expression(node.orelse)
    return lambda env: then(env) if test(env) else other(env)


def _joined(node: ast.JoinedStr) -> Closure:
    parts = [text(v) for v in node.values]

    def run(env: Scope) -> str:
        joined = "".join([p(env) for p in parts])
        if len(joined) > 4096:
            env.budget.charge(len(joined), "text")
        return joined

    return run


def _formatted(node: ast.FormattedValue) -> Closure:
    value, as_repr = expression(node.value), node.conversion in (ord("r"), ord("a"))
    spec = text(node.format_spec) if node.format_spec else (lambda _: "")

    def run(env: Scope) -> str:
        found = value(env)
        return format_value(show_repr(found) if as_repr else found, spec(env))

    return run


EXPRESSIONS: Expressions = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
}
