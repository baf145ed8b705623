"""Functions: a definition becomes a maker that, given the defining scope, returns a Python callable."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from loadproof.interpret.language import call_errors
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.expressions import Closure, expression
from loadproof.interpret.language.gate.host import find, know_evaluated
from loadproof.interpret.language.scope import CLASS, SELF, YIELDS, Scope, names_bound
from loadproof.interpret.language.statements import Returned, block

Function = Callable[..., Any]


def _generates(node: Any) -> bool:
    """Whether the body yields, its nested functions left aside."""
    if find(node, "lacks_yield"):
        return False
    todo: list[Any] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(item))
    return False


class Signature:
    """Parameter names and default closures of one definition."""

    def __init__(self, node: Any) -> None:
        a = node.args
        self.name = find(node, "name", "<lambda>")
        self.positional = [x.arg for x in a.posonlyargs + a.args]
        self.star = a.vararg.arg if a.vararg else None
        self.double_star = a.kwarg.arg if a.kwarg else None
        self.known = {*self.positional, *(x.arg for x in a.kwonlyargs)}
        first = len(self.positional) - len(a.defaults)
        self.defaults = [(n, expression(d)) for n, d in zip(self.positional[first:], a.defaults, strict=True)]
        self.defaults += [
            (x.arg, expression(d)) for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None
        ]
        self.generates = _generates(node)
        self.all_names = [*self.positional, *(x.arg for x in a.kwonlyargs)]
        self.required = [x.arg for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is None]

    def bind(self, local: Scope, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Place the arguments into the new scope; raises TypeError as Python does."""
        names = self.positional
        for name, value in zip(names, args, strict=False):
            local[name] = value
        if self.star is not None:
            local[self.star] = args[len(names) :]
        elif len(args) > len(names):
            defaults = sum(name in names for name, _ in self.defaults)
            raise call_errors.too_many(call_errors.full_name(self.name, local), len(names), defaults, len(args))
        extra = self._bind_keywords(local, args, kwargs)
        if self.double_star is not None:
            local[self.double_star] = extra
        elif extra:
            name = call_errors.full_name(self.name, local)
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(extra))}'")
        self._check_complete(local, names[len(args) :])

    def _check_complete(self, local: Scope, rest: list[str]) -> None:
        for kind, names in (("positional", rest), ("keyword-only", self.required)):
            lacking = [name for name in names if name not in local]
            if lacking:
                raise call_errors.missing(call_errors.full_name(self.name, local), lacking, kind)

    def _bind_keywords(self, local: Scope, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name not in self.known:
                extra[name] = value
            elif name in self.positional[: len(args)]:
                shown = call_errors.full_name(self.name, local)
                raise TypeError(f"{shown}() got multiple values for argument '{name}'")
            else:
                local[name] = value
        return extra


def function_maker(node: Any, body: Sequence[ast.stmt]) -> Closure:
    """FunctionDef or Lambda -> maker(scope) -> callable. The body is turned into closures at its first call."""
    signature = Signature(node)
    compiled: list[Any] = []  # what runs the body, and the names that it binds

    def make(env: Scope) -> Function:
        bound = {name: default(env) for name, default in signature.defaults}
        return _function(signature, body, compiled, bound, env)

    return make


def _function(signature: Signature, body: Any, compiled: Any, bound: dict[str, Any], env: Scope) -> Function:
    file, positional, bind = env.file, signature.positional, signature.bind
    first = positional[0] if positional else None

    def function(*args: Any, **kwargs: Any) -> Any:
        if not compiled:
            compiled.extend((block(body), names_bound(body)))
        local = Scope(env, file, file.world.budget)
        local.bound = compiled[1]
        local.update(bound)
        bind(local, args, kwargs)
        if first:
            local[SELF] = first
        if signature.generates:
            return _generated(compiled[0], local, file.label)
        return _run(compiled[0], local, file.label)

    function.__name__ = function.__qualname__ = signature.name
    function.__module__ = file.name
    function.__signature_names__ = signature.all_names  # type: ignore[attr-defined]
    return function


def _run(body: Callable[[Scope], Any], local: Scope, label: str) -> Any:
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


def _generated(body: Callable[[Scope], Any], local: Scope, label: str) -> Iterator[Any]:
    """The items of a generator: its body runs when the first one is asked for, and then to its end."""
    yields = local[YIELDS] = []
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


def function_in(node: Any, env: Scope, defaults: Scope) -> Function:
    """A function whose names are those of `env`, its defaults evaluated in another scope: a method in a class body."""
    signature = Signature(node)
    bound = {name: default(defaults) for name, default in signature.defaults}
    return _function(signature, node.body, [], bound, env)


know_evaluated(next(c for c in _function.__code__.co_consts if find(c, "co_name") == "function"))


def method(node: Any, file: Any, cls: Any) -> Function:
    """A function of `file`; `cls` is what a bare `super()` inside it refers to (None for plain functions)."""
    env = Scope(None, file, file.world.budget)
    env[CLASS] = cls
    made: Function = function_maker(node, node.body)(env)
    return made
