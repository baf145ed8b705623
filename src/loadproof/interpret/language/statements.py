"""Statements: a syntax node becomes a closure; it returns None, a `Returned`, BREAK or CONTINUE.

Unsupported syntax raises when it is reached, never earlier: a constructor must not fail over its neighbour's body.
"""

# ruff: noqa: ARG001, ARG005 - every closure takes a scope
from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import LimitReached, NotUnderstood, UnknownUsed, UnsupportedSyntax, certain
from loadproof.interpret.language.expressions import Closure, expression
from loadproof.interpret.language.gate import delete
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.operators import IN_PLACE
from loadproof.interpret.language.scope import CAUGHT, Scope
from loadproof.interpret.language.targets import store

BREAK, CONTINUE = object(), object()


class Returned:
    """Carries a `return` value out of nested statements."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def block(body: Sequence[ast.stmt]) -> Closure:
    steps = [statement(s) for s in body]
    if len(steps) == 1:
        return steps[0]

    def run(env: Scope) -> Any:
        for step in steps:
            result = step(env)
            if result is not None:
                return result
        return None

    return run


def statement(node: ast.stmt) -> Closure:
    handler = STATEMENTS.get(type(node))
    try:
        if handler is None:
            raise UnsupportedSyntax(type(node).__name__)
        return handler(node)
    except NotUnderstood as problem:
        kind, text = type(problem), f"{problem} (line {node.lineno})"

        def reached(env: Scope) -> Any:
            raise kind(text)

        return reached


def _expression_statement(node: Any) -> Closure:
    value, line = expression(node.value), node.lineno
    if isinstance(node.value, ast.Constant):
        return _nothing(node)

    def run(env: Scope) -> None:
        env.budget.line = line
        value(env)

    return run


def _assign(node: Any) -> Closure:
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


def _annotated(node: Any) -> Closure:
    if node.value is None:
        return _nothing(node)
    return _assign(ast.copy_location(ast.Assign([node.target], node.value), node))


def _augmented(node: Any) -> Closure:
    target = ast.Name(node.target.id, ast.Load()) if isinstance(node.target, ast.Name) else node.target
    load, value, function, assign = (
        expression(target),
        expression(node.value),
        IN_PLACE[type(node.op)],
        store(node.target),
    )

    def run(env: Scope) -> None:
        assign(env, function(load(env), value(env)))

    return run


def _if(node: Any) -> Closure:
    test, then, line = expression(node.test), block(node.body), node.lineno
    other = block(node.orelse) if node.orelse else _nothing(node)

    def run(env: Scope) -> Any:
        env.budget.line = line
        return then(env) if test(env) else other(env)

    return run


def _return(node: Any) -> Closure:
    if node.value is None:
        return lambda env: Returned(None)
    value, line = expression(node.value), node.lineno

    def run(env: Scope) -> Returned:
        env.budget.line = line
        return Returned(value(env))

    return run


def _for(node: Any) -> Closure:
    iterable, assign, body = expression(node.iter), store(node.target), block(node.body)
    other = block(node.orelse) if node.orelse else _nothing(node)

    def run(env: Scope) -> Any:
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


def _while(node: Any) -> Closure:
    test, body = expression(node.test), block(node.body)
    other = block(node.orelse) if node.orelse else _nothing(node)

    def run(env: Scope) -> Any:
        count = 0
        while test(env):
            count += 1
            env.budget.step()
            if count > limits.WHILE_ITERATIONS:
                raise LimitReached(
                    f"while loop of more than {limits.WHILE_ITERATIONS:,} iterations (line {node.lineno})"
                )
            result = body(env)
            if result is BREAK:
                return None
            if result is not None and result is not CONTINUE:
                return result
        return other(env)

    return run


def _raise(node: Any) -> Closure:
    value, line = expression(node.exc) if node.exc else None, node.lineno

    def run(env: Scope) -> Any:
        env.budget.line = line
        problem = value(env) if value else env.get(CAUGHT)
        if isinstance(problem, type) and issubclass(problem, BaseException):
            problem = problem()
        if not isinstance(problem, Exception):
            raise UnsupportedSyntax(f"raise of something that is no exception (line {line})")
        certain(problem)
        raise problem

    return run


def _assert(node: Any) -> Closure:
    test, message, line = expression(node.test), expression(node.msg) if node.msg else None, node.lineno

    def run(env: Scope) -> Any:
        env.budget.line = line
        if not test(env):
            problem = AssertionError(*([message(env)] if message else []))
            certain(problem)
            raise problem

    return run


def _def(node: Any) -> Closure:
    from loadproof.interpret.language.functions import function_maker

    make, name = function_maker(node, node.body), node.name
    decorators = [expression(d) for d in reversed(node.decorator_list)]

    def run(env: Scope) -> None:
        wrappers = [decorator(env) for decorator in decorators]
        function = make(env)
        for wrapper in wrappers:
            function = decorated(wrapper, function) if env.parent is None else wrapper(function)
        env.assign(name, function)

    return run


def decorated(wrapper: Any, made: Any) -> Any:
    """A definition of a module or class under its decorator; one that is not read is taken to change nothing."""
    if isinstance(wrapper, Unknown):
        return made
    wrapped = wrapper(made)
    return made if isinstance(wrapped, Unknown) else wrapped


def _async_def(node: Any) -> Closure:
    """A coroutine function: a constructor has no use for one."""
    defaults = [
        expression(d) for d in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    ]

    def run(env: Scope) -> None:
        for default in defaults:
            default(env)
        env.assign(node.name, Unknown(node.name))

    return run


def _class(node: Any) -> Closure:
    def run(env: Scope) -> None:
        env.assign(node.name, env.file.make_class(node, env))

    return run


def _import(node: Any) -> Closure:
    def run(env: Scope) -> None:
        env.budget.line = node.lineno
        for alias in node.names:
            value = env.file.import_module(alias.name, alias.asname, node.lineno)
            env.assign(alias.asname or alias.name.split(".")[0], value)

    return run


def _import_from(node: Any) -> Closure:
    def run(env: Scope) -> None:
        env.budget.line = node.lineno
        for alias in node.names:
            if alias.name == "*":
                env.update(env.file.import_all(node.level, node.module, node.lineno))
            else:
                value = env.file.import_from(node.level, node.module, alias.name, node.lineno)
                env.assign(alias.asname or alias.name, value)

    return run


def _with(node: Any) -> Closure:
    managers = [(expression(i.context_expr), store(i.optional_vars) if i.optional_vars else None) for i in node.items]
    body = block(node.body)

    def run(env: Scope) -> Any:
        entered: list[Any] = []
        try:
            for manager, assign in managers:
                entered.append(manager(env))
                value = entered[-1].__enter__()
                if assign:
                    assign(env, value)
            result = body(env)
        except (NotUnderstood, RecursionError, MemoryError):
            raise
        except Exception as problem:
            if not any(_swallows(manager, problem) for manager in reversed(entered)):
                raise
            return None
        for manager in reversed(entered):
            manager.__exit__(None, None, None)
        return result

    return run


def _swallows(manager: Any, problem: Exception) -> bool:
    """Whether a context manager ends an exception. Raises UnknownUsed where that is not known."""
    if isinstance(manager, Unknown):
        if manager._name.startswith("torch."):
            return False
        raise UnknownUsed(f"whether a `with` passes on {type(problem).__name__} is not known")
    return bool(manager.__exit__(type(problem), problem, None))


def _try(node: Any) -> Closure:
    body, other, final = block(node.body), block(node.orelse), block(node.finalbody)
    handlers = [(expression(h.type) if h.type else None, h.name, block(h.body)) for h in node.handlers]

    def run(env: Scope) -> Any:
        result: Any = None
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


def _handle(env: Scope, handlers: list[Any], problem: Exception) -> Any:
    for kind, name, handler in handlers:
        wanted = kind(env) if kind else Exception
        unknown = [k for k in (wanted if isinstance(wanted, tuple) else (wanted,)) if isinstance(k, Unknown)]
        known = tuple(k for k in (wanted if isinstance(wanted, tuple) else (wanted,)) if isinstance(k, type))
        if unknown and not isinstance(problem, known):
            raise UnknownUsed(f"whether {type(problem).__name__} is a {unknown[0]._name} is not known")
        if isinstance(problem, known):
            env[CAUGHT] = problem
            if not name:
                return handler(env)
            env.assign(name, problem)
            try:
                return handler(env)
            finally:
                env.pop(name, None)
    raise problem


def _delete(node: Any) -> Closure:
    steps = [_delete_one(t) for t in node.targets]

    def run(env: Scope) -> None:
        for step in steps:
            step(env)

    return run


def _delete_one(target: ast.expr) -> Callable[[Scope], None]:
    if isinstance(target, ast.Name):
        return _delete_name(target.id)
    if isinstance(target, ast.Attribute):
        owner, attribute = expression(target.value), target.attr
        return lambda env: delete(owner(env), attribute)
    if isinstance(target, ast.Subscript):
        return _delete_item(target)
    raise UnsupportedSyntax("del of " + type(target).__name__)


def _delete_name(name: str) -> Callable[[Scope], None]:
    def run(env: Scope) -> None:
        if env.parent is None and name not in env and "__class__" not in env:
            raise certain(NameError(f"name '{name}' is not defined"))
        target = (env.redirected or {}).get(name, env)
        if name in env.bound and name not in env:
            raise env.file.unbound(name, is_local=True)
        target.pop(name, None)

    return run


def _delete_item(target: ast.Subscript) -> Callable[[Scope], None]:
    owner, index = expression(target.value), expression(target.slice)

    def run(env: Scope) -> None:
        del owner(env)[index(env)]

    return run


def _global(node: Any) -> Closure:
    def run(env: Scope) -> None:
        for name in node.names:
            env.redirect(name, env.file.globals)

    return run


def _nonlocal(node: Any) -> Closure:
    def run(env: Scope) -> None:
        for name in node.names:
            env.redirect(name, env.owner_of(name))

    return run


def _nothing(_: Any) -> Closure:
    return lambda env: None


STATEMENTS: dict[type, Callable[[Any], Closure]] = {
    ast.Expr: _expression_statement,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.Return: _return,
    ast.For: _for,
    ast.While: _while,
    ast.Pass: _nothing,
    ast.Break: lambda node: lambda env: BREAK,
    ast.Continue: lambda node: lambda env: CONTINUE,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.FunctionDef: _def,
    ast.AsyncFunctionDef: _async_def,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.With: _with,
    ast.Try: _try,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
}
