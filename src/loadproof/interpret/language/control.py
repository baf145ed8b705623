"""Statements that say which statement comes next: `if`, the loops, `return`, `break`, `continue`, `pass`."""

from __future__ import annotations

import ast

from loadproof.interpret.language import limits
from loadproof.interpret.language.closures import (
    BREAK,
    CONTINUE,
    Ending,
    Returned,
    Statements,
    Step,
    block,
    expression,
    iterated,
    nothing,
)
from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.targets import store


def _if(node: ast.If) -> Step:
    test, then, line = expression(node.test), block(node.body), node.lineno
    other = block(node.orelse) if node.orelse else nothing(node)

    def run(env: Scope) -> Ending:
        env.budget.line = line
        return then(env) if test(env) else other(env)

    return run


def _return(node: ast.Return) -> Step:
    if node.value is None:
        return lambda _: Returned(None)
    value, line = expression(node.value), node.lineno

    def run(env: Scope) -> Returned:
        env.budget.line = line
        return Returned(value(env))

    return run


def _for(node: ast.For) -> Step:
    iterable, assign, body = iterated(node.iter), store(node.target), block(node.body)
    other = block(node.orelse) if node.orelse else nothing(node)

    def run(env: Scope) -> Ending:
        for value in iterable(env):
            env.budget.step()
            assign(env, value)
            result = body(env)
            if result is BREAK:
                return None
            if result is not None and result is not CONTINUE:
                return result
        return other(env)

    return run


def _while(node: ast.While) -> Step:
    test, body = expression(node.test), block(node.body)
    other = block(node.orelse) if node.orelse else nothing(node)

    def run(env: Scope) -> Ending:
        count = 0
        while test(env):
            count += 1
            env.budget.step()
            if count > limits.WHILE_ITERATIONS:
                raise _too_long(node.lineno)
            result = body(env)
            if result is BREAK:
                return None
            if result is not None and result is not CONTINUE:
                return result
        return other(env)

    return run


def _too_long(line: int) -> LimitReached:
    return LimitReached(f"while loop of more than {limits.WHILE_ITERATIONS:,} iterations (line {line})")


STATEMENTS: Statements = {
    ast.If: _if,
    ast.Return: _return,
    ast.For: _for,
    ast.While: _while,
    ast.Pass: nothing,
    ast.Break: lambda _: lambda _: BREAK,
    ast.Continue: lambda _: lambda _: CONTINUE,
}
