"""Functions: a definition becomes a maker that, given the defining scope, returns a Python callable."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from loadproof.interpret.language.binding import names_bound
from loadproof.interpret.language.closures import Closure, Expressions, Returned, Step, block, expression, iterated
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate.host import find, know_evaluated
from loadproof.interpret.language.scope import CLASS, SELF, YIELDS, File, Scope
from loadproof.interpret.language.signature import Definition, Signature
from loadproof.interpret.language.values import Function, Names, Value

Maker: TypeAlias = Callable[[Scope], Function]


class Body:
    """The statements of a definition; they become a closure when one of its functions is first called."""

    __slots__ = ("bound", "is_ready", "run", "statements")

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        self.statements, self.is_ready = statements, False

    def prepare(self) -> None:
        self.run, self.bound = block(self.statements), names_bound(self.statements)
        self.is_ready = True


def function_maker(node: Definition, body: Sequence[ast.stmt]) -> Maker:
    """FunctionDef or Lambda -> maker(scope) -> callable. The body is turned into closures at its first call."""
    signature = Signature(node)
    shared = Body(body)

    def make(env: Scope) -> Function:
        bound = {name: default(env) for name, default in signature.defaults}
        return _function(signature, shared, bound, env)

    return make


def _function(signature: Signature, body: Body, bound: Names, env: Scope) -> Function:
    file, positional, bind = env.file, signature.positional, signature.bind
    first = positional[0] if positional else None

    def function(*args: Value, **kwargs: Value) -> Value:
        if not body.is_ready:
            body.prepare()
        local = Scope(env, file, file.world.budget)
        local.bound = body.bound
        local.update(bound)
        bind(local, args, kwargs)
        if first:
            local[SELF] = first
        if signature.generates:
            return _generated(body.run, local, file.label)
        return _run(body.run, local, file.label)

    function.__name__ = function.__qualname__ = signature.name
    function.__module__ = file.name
    function.__signature_names__ = signature.all_names  # type: ignore[attr-defined]
    return function


def _run(body: Step, local: Scope, label: str) -> Value:
    """What the body of a function returns."""
    budget = local.budget
    line, name = budget.line, budget.file
    budget.file = label
    budget.step()
    budget.enter()
    try:
        result = body(local)
    except Exception as problem:
        budget.note(problem)
        raise
    finally:
        budget.depth -= 1
        budget.line, budget.file = line, name
    return result.value if type(result) is Returned else None


def _generated(body: Step, local: Scope, label: str) -> Iterator[Value]:
    """The items of a generator: its body runs when the first one is asked for, and then to its end."""
    yields: list[Value] = []
    local[YIELDS] = yields
    problem = None
    try:
        _run(body, local, label)
    except (NotUnderstood, RecursionError, MemoryError):
        raise
    except Exception as raised:  # what it yielded before comes first
        problem = raised
    yield from yields
    if problem is not None:
        raise problem


def function_in(node: Definition, body: Sequence[ast.stmt], env: Scope, defaults: Scope) -> Function:
    """A function whose names are those of `env`, its defaults evaluated in another scope: a method in a class body."""
    signature = Signature(node)
    bound = {name: default(defaults) for name, default in signature.defaults}
    return _function(signature, Body(body), bound, env)


know_evaluated(next(c for c in _function.__code__.co_consts if find(c, "co_name") == "function"))


def method(node: ast.FunctionDef | ast.AsyncFunctionDef, file: File, cls: type | None) -> Function:
    """A function of `file`; `cls` is what a bare `super()` inside it refers to (None for plain functions)."""
    env = Scope(None, file, file.world.budget)
    env[CLASS] = cls
    return function_maker(node, node.body)(env)


def _lambda(node: ast.Lambda) -> Closure:
    return function_maker(node, [ast.copy_location(ast.Return(node.body), node)])


# ---------------------------------------------------------------- generators
def _yield(node: ast.Yield) -> Closure:
    value: Closure = expression(node.value) if node.value is not None else (lambda _: None)

    def run(env: Scope) -> None:
        env.budget.step()
        _yields(env).append(value(env))

    return run


def _yield_from(node: ast.YieldFrom) -> Closure:
    items = iterated(node.value)

    def run(env: Scope) -> None:
        for item in items(env):
            env.budget.step()
            _yields(env).append(item)

    return run


def _yields(env: Scope) -> list[Value]:
    found = env[YIELDS]
    assert isinstance(found, list)
    return found


EXPRESSIONS: Expressions = {ast.Lambda: _lambda, ast.Yield: _yield, ast.YieldFrom: _yield_from}
