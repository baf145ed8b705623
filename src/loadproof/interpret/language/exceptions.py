"""Statements that raise, handle and pass on exceptions: `raise`, `assert`, `try`, `with`.

What the evaluator itself says (`NotUnderstood`) is no exception of the evaluated code: nothing there catches it.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from loadproof.interpret.language.closures import (
    Closure,
    Ending,
    Statements,
    Step,
    block,
    entered,
    expression,
)
from loadproof.interpret.language.errors import NotUnderstood, UnknownUsed, UnsupportedSyntax, certain
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.scope import CAUGHT, Scope
from loadproof.interpret.language.targets import store
from loadproof.interpret.language.values import Manager, Value

Handler: TypeAlias = tuple[Closure | None, str | None, Step]


def _raise(node: ast.Raise) -> Step:
    value, line = expression(node.exc) if node.exc else None, node.lineno
    cause = expression(node.cause) if node.cause else None

    def run(env: Scope) -> Ending:
        env.budget.line = line
        problem = value(env) if value else env.get(CAUGHT)
        if isinstance(problem, type) and issubclass(problem, BaseException):
            problem = problem()
        if not isinstance(problem, Exception):
            raise UnsupportedSyntax(f"raise of something that is no exception (line {line})")
        if cause is not None:
            _check_cause(cause(env))
        certain(problem)
        raise problem

    return run


def _check_cause(cause: Value) -> None:
    """`raise ... from cause`"""
    if cause is None or isinstance(cause, (BaseException, Unknown)):
        return
    if not (isinstance(cause, type) and issubclass(cause, BaseException)):
        raise certain(TypeError("exception causes must derive from BaseException"))


def _assert(node: ast.Assert) -> Step:
    test, message, line = expression(node.test), expression(node.msg) if node.msg else None, node.lineno

    def run(env: Scope) -> Ending:
        env.budget.line = line
        if test(env):
            return None
        problem = AssertionError(*([message(env)] if message else []))
        certain(problem)
        raise problem

    return run


# ---------------------------------------------------------------- with
def _with(node: ast.With) -> Step:
    managers = [(entered(i.context_expr), store(i.optional_vars) if i.optional_vars else None) for i in node.items]
    body = block(node.body)

    def run(env: Scope) -> Ending:
        inside: list[Manager] = []
        try:
            for manager, assign in managers:
                inside.append(manager(env))
                value = inside[-1].__enter__()
                if assign:
                    assign(env, value)
            result = body(env)
        except (NotUnderstood, RecursionError, MemoryError):
            raise
        except Exception as problem:
            if not any(_swallows(manager, problem) for manager in reversed(inside)):
                raise
            return None
        for left in reversed(inside):
            left.__exit__(None, None, None)
        return result

    return run


def _swallows(manager: Manager, problem: Exception) -> bool:
    """Whether a context manager ends an exception. Raises UnknownUsed where that is not known."""
    if isinstance(manager, Unknown):
        if manager._name.startswith("torch."):
            return False
        raise UnknownUsed(f"whether a `with` passes on {type(problem).__name__} is not known")
    return bool(manager.__exit__(type(problem), problem, None))


# ---------------------------------------------------------------- try
def _try(node: ast.Try) -> Step:
    body, other, final = block(node.body), block(node.orelse), block(node.finalbody)
    handlers = [(expression(h.type) if h.type else None, h.name, block(h.body)) for h in node.handlers]

    def run(env: Scope) -> Ending:
        result: Ending = None
        try:
            try:
                result = body(env)
            except (NotUnderstood, RecursionError, MemoryError):
                raise
            except Exception as problem:
                result = _handle(env, handlers, problem)
            else:
                result = other(env) if result is None else result
        except (NotUnderstood, RecursionError, MemoryError):
            raise
        except Exception:
            ending = final(env)
            if ending is not None:
                return ending
            raise
        ending = final(env)
        return result if ending is None else ending

    return run


def _handle(env: Scope, handlers: list[Handler], problem: Exception) -> Ending:
    for kind, name, handler in handlers:
        if _matches(kind(env) if kind else Exception, problem):
            return _run_handler(env, name, handler, problem)
    raise problem


def _matches(wanted: Value, problem: Exception) -> bool:
    """Whether an `except` names the exception. Raises UnknownUsed where that is not known."""
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    unknown = [k for k in kinds if isinstance(k, Unknown)]
    known = tuple(k for k in kinds if isinstance(k, type))
    if any(not issubclass(k, BaseException) for k in known) or len(known) + len(unknown) < len(kinds):
        text = "catching classes that do not inherit from BaseException is not allowed"
        raise certain(TypeError(text))
    if unknown and not isinstance(problem, known):
        raise UnknownUsed(f"whether {type(problem).__name__} is a {unknown[0]._name} is not known")
    return isinstance(problem, known)


def _run_handler(env: Scope, name: str | None, handler: Step, problem: Exception) -> Ending:
    env[CAUGHT] = problem
    if not name:
        return handler(env)
    env.assign(name, problem)
    try:
        return handler(env)
    finally:
        env.pop(name, None)


STATEMENTS: Statements = {ast.Raise: _raise, ast.Assert: _assert, ast.With: _with, ast.Try: _try}
