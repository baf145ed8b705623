"""Functions under `@contextmanager`: what stands before their one `yield` is entered, what stands behind it is left.

An evaluated generator runs to its end at once, so such a function is cut in two instead. Both halves share its names.
"""

from __future__ import annotations

import ast
from types import MethodType

from loadproof.interpret.language.closures import Step, block
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.scope import CLASS, SELF, File, Scope
from loadproof.interpret.language.signature import Signature
from loadproof.interpret.language.values import Function, Open, Value

Halves = tuple[list[ast.stmt], list[ast.stmt]]


class Context(Open):
    """What a call of such a function gives."""

    def __init__(self, scope: Scope, before: Step, after: Step) -> None:
        self.__dict__[":parts"] = scope, before, after

    def __enter__(self) -> Value:
        scope, before, _ = self.__dict__[":parts"]
        before(scope)
        return None

    def __exit__(self, kind: Value, *_: Value) -> None:
        scope, _, after = self.__dict__[":parts"]
        after(scope)


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
    """What runs on entering and on leaving, where the only `yield` is a statement of its own without a value."""
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield) and statement.value.value is None:
            return body[:at], body[at + 1 :]
        if isinstance(statement, ast.Try) and not statement.handlers:
            inner = _halves(statement.body)
            if inner is not None:
                return [*body[:at], *inner[0]], [*inner[1], *statement.finalbody, *body[at + 1 :]]
        if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(statement)):
            return None
    return None
