"""Statements that define: functions, classes, imported names, and whose names are meant."""

from __future__ import annotations

import ast

from loadproof.interpret.language.closures import Statements, Step, called, expression
from loadproof.interpret.language.functions import function_maker
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Function, Value


def _def(node: ast.FunctionDef) -> Step:
    make, name = function_maker(node, node.body), node.name
    decorators = [called(d) for d in reversed(node.decorator_list)]

    def run(env: Scope) -> None:
        wrappers = [decorator(env) for decorator in decorators]
        function: Value = make(env)
        for wrapper in wrappers:
            function = decorated(wrapper, function) if env.parent is None else wrapper(function)
        env.assign(name, function)

    return run


def decorated(wrapper: Function, made: Value) -> Value:
    """A definition of a module or class under its decorator; one that is not read is taken to change nothing."""
    if isinstance(wrapper, Unknown):
        return made
    wrapped = wrapper(made)
    return made if isinstance(wrapped, Unknown) else wrapped


def _async_def(node: ast.AsyncFunctionDef) -> Step:
    """A coroutine function: a constructor has no use for one."""
    defaults = [
        expression(d) for d in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    ]

    def run(env: Scope) -> None:
        for default in defaults:
            default(env)
        env.assign(node.name, Unknown(node.name))

    return run


def _class(node: ast.ClassDef) -> Step:
    return lambda env: env.assign(node.name, env.file.make_class(node, env))


def _import(node: ast.Import) -> Step:
    def run(env: Scope) -> None:
        env.budget.line = node.lineno
        for alias in node.names:
            value = env.file.import_module(alias.name, alias.asname, node.lineno)
            env.assign(alias.asname or alias.name.split(".")[0], value)

    return run


def _import_from(node: ast.ImportFrom) -> Step:
    def run(env: Scope) -> None:
        env.budget.line = node.lineno
        for alias in node.names:
            if alias.name == "*":
                env.update(env.file.import_all(node.level, node.module, node.lineno))
            else:
                value = env.file.import_from(node.level, node.module, alias.name, node.lineno)
                env.assign(alias.asname or alias.name, value)

    return run


def _global(node: ast.Global) -> Step:
    def run(env: Scope) -> None:
        for name in node.names:
            env.redirect(name, env.file.globals)

    return run


def _nonlocal(node: ast.Nonlocal) -> Step:
    def run(env: Scope) -> None:
        for name in node.names:
            env.redirect(name, env.owner_of(name))

    return run


STATEMENTS: Statements = {
    ast.FunctionDef: _def,
    ast.AsyncFunctionDef: _async_def,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
}
