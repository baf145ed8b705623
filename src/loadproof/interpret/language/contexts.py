"""Functions under `@contextmanager`: what stands before their one `yield` is entered, what stands behind it is left.

An evaluated generator runs to its end at once, so such a function is cut in two instead. Both halves share its names.
"""

from __future__ import annotations

import ast
from functools import partial
from types import MethodType
from typing import Any

from loadproof.interpret.language.closures import Step, block
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.scope import CLASS, SELF, File, Scope
from loadproof.interpret.language.signature import Signature
from loadproof.interpret.language.values import Function, Open, Value

_RESUME = ":resume"  # no source text can spell it
Halves = tuple[list[ast.stmt], list[ast.stmt]]


def _raised(problem: Exception | None) -> None:
    if problem is not None:
        raise problem


class Context(Open):
    """What a call of such a function gives."""

    def __init__(self, scope: Scope, before: Step, after: Step) -> None:
        self.__dict__[":parts"] = scope, before, after

    def __enter__(self) -> Value:
        scope, before, _ = self.__dict__[":parts"]
        before(scope)
        return None

    def __exit__(self, kind: Value, problem: Any = None, *_: Value) -> bool:
        """Whether what the block raised ends here."""
        scope, _, after = self.__dict__[":parts"]
        scope[_RESUME] = partial(_raised, problem)
        try:
            after(scope)
        except Exception as raised:
            if raised is not problem:
                raise
            return False
        return problem is not None


class ContextMaker(Open):
    """The function as `contextmanager` makes it; like a function it can be given attributes, and is bound to an object."""

    def __init__(self, node: ast.FunctionDef, halves: Halves, file: File, owner: type | None) -> None:
        before, after = (block(half or [ast.Pass()]) for half in halves)
        self.__dict__[":parts"] = Signature(node), before, after, file, owner

    def __call__(self, *args: Value, **kwargs: Value) -> Context:
        signature, before, after, file, owner = self.__dict__[":parts"]
        outer = Scope(None, file, file.world.budget)
        outer[CLASS] = owner
        local = Scope(outer, file, file.world.budget)
        local.update({name: default(outer) for name, default in signature.defaults})
        signature.bind(local, args, kwargs)
        if signature.positional:
            local[SELF] = signature.positional[0]
        return Context(local, before, after)

    def __get__(self, obj: Value, cls: type) -> Value:
        return self if obj is None else MethodType(self, obj)


def context_maker(node: ast.FunctionDef, file: File, owner: type | None) -> Function:
    """What a call gives; of a function that cannot be cut in two, a context that is not followed."""
    halves = _halves(node.body)
    return (lambda *_, **__: Unknown("context")) if halves is None else ContextMaker(node, halves, file, owner)


def _halves(body: list[ast.stmt]) -> Halves | None:
    """What runs on entering and on leaving, where the only `yield` is a statement of its own without a value, perhaps in a
    `try`: its handlers and its end belong to the second half."""
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield) and statement.value.value is None:
            return body[:at], [_resume(statement), *body[at + 1 :]]
        if isinstance(statement, ast.Try) and (inner := _halves(statement.body)) is not None:
            rest = ast.Try(inner[1], statement.handlers, statement.orelse, statement.finalbody)
            return [*body[:at], *inner[0]], [ast.copy_location(rest, statement), *body[at + 1 :]]
        if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(statement)):
            return None
    return None


def _resume(where: ast.stmt) -> ast.stmt:
    """In place of the `yield`: what the block raised is raised here."""
    call = ast.Expr(ast.Call(ast.Name(_RESUME, ast.Load()), [], []))
    return ast.fix_missing_locations(ast.copy_location(call, where))
