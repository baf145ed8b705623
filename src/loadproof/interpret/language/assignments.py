"""Statements that change what names, attributes and items hold, and expressions that stand alone."""

from __future__ import annotations

import ast

from loadproof.interpret.language.closures import Statements, Step, expression, nothing
from loadproof.interpret.language.operators import IN_PLACE
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.targets import deletion, store


def _expression_statement(node: ast.Expr) -> Step:
    value, line = expression(node.value), node.lineno
    if isinstance(node.value, ast.Constant):
        return nothing(node)

    def run(env: Scope) -> None:
        env.budget.line = line
        value(env)

    return run


def _assign(node: ast.Assign) -> Step:
    value, stores, line = expression(node.value), [store(t) for t in node.targets], node.lineno
    only = stores[0] if len(stores) == 1 else None

    def run(env: Scope) -> None:
        env.budget.line = line
        result = value(env)
        if only is not None:
            only(env, result)
            return
        for assign in stores:
            assign(env, result)

    return run


def _annotated(node: ast.AnnAssign) -> Step:
    if node.value is None:
        return nothing(node)
    return _assign(ast.copy_location(ast.Assign([node.target], node.value), node))


def _augmented(node: ast.AugAssign) -> Step:
    target = ast.Name(node.target.id, ast.Load()) if isinstance(node.target, ast.Name) else node.target
    load, value = expression(target), expression(node.value)
    function, assign = IN_PLACE[type(node.op)], store(node.target)
    return lambda env: assign(env, function(load(env), value(env)))


def _delete(node: ast.Delete) -> Step:
    steps = [deletion(t) for t in node.targets]

    def run(env: Scope) -> None:
        for step in steps:
            step(env)

    return run


STATEMENTS: Statements = {
    ast.Expr: _expression_statement,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
}
