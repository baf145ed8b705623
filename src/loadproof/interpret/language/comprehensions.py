"""Comprehensions, and generator expressions, whose items are made when they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from loadproof.interpret.language.closures import Closure, Expressions, expression, iterated
from loadproof.interpret.language.long_list import SHORTEST, LongList, changes_nothing
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.targets import Store, store
from loadproof.interpret.language.values import Value

Loop: TypeAlias = tuple[Store, Callable[[Scope], Iterable[Value]], list[Closure]]
OfOneElement: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp


def _loops(generators: Sequence[ast.comprehension]) -> list[Loop]:
    return [(store(g.target), iterated(g.iter), [expression(i) for i in g.ifs]) for g in generators]


def _iterate(loops: list[Loop], env: Scope, depth: int = 0) -> Iterator[None]:
    """Bind the targets in turn; the caller evaluates its element at each stop."""
    assign, iterable, conditions = loops[depth]
    for value in iterable(env if depth or env.parent is None else env.parent):  # the first is the surrounding scope's
        env.budget.step()
        assign(env, value)
        if all(c(env) for c in conditions):
            if depth + 1 == len(loops):
                yield None
            else:
                yield from _iterate(loops, env, depth + 1)


def _elements(node: OfOneElement) -> Callable[[Scope], list[Value]]:
    element, loops = expression(node.elt), _loops(node.generators)
    name = _may_be_long(node)

    def run(env: Scope) -> list[Value]:
        if name is not None:
            items = loops[0][1](env)
            if isinstance(items, range) and len(items) >= SHORTEST:
                return LongList(items, partial(_at, env, name, element))
            return [element(inner) for inner in _each(env, loops[0][0], items)]
        inner = Scope(env, env.file, env.budget, True)
        return [element(inner) for _ in _iterate(loops, inner)]

    return run


def _may_be_long(node: OfOneElement) -> str | None:
    """The loop's name where a comprehension only computes from a single loop, see `long_list`."""
    only = node.generators[0] if len(node.generators) == 1 else None
    if only is None or only.ifs or not isinstance(only.target, ast.Name) or not isinstance(node, ast.ListComp):
        return None
    is_range = isinstance(only.iter, ast.Call) and _is_name(only.iter.func, "range")
    return only.target.id if is_range and changes_nothing(node.elt) else None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _at(env: Scope, name: str, element: Closure, index: int) -> Value:
    inner = Scope(env, env.file, env.budget, True)
    env.budget.step()
    inner[name] = index
    return element(inner)


def _each(env: Scope, assign: Store, items: Iterable[Value]) -> Iterator[Scope]:
    inner = Scope(env, env.file, env.budget, True)
    for value in items:
        env.budget.step()
        assign(inner, value)
        yield inner


def _generator(node: ast.GeneratorExp) -> Closure:
    """Only what the first loop runs over is evaluated at once, the rest when somebody asks for an item."""
    element, loops = expression(node.elt), _loops(node.generators)
    (assign, iterable, conditions), *inner_loops = loops

    def items(env: Scope, outer: Iterator[Value]) -> Iterator[Value]:
        inner = Scope(env, env.file, env.budget, True)
        first: list[Loop] = [(assign, lambda _: outer, conditions), *inner_loops]
        for _ in _iterate(first, inner):
            yield element(inner)

    return lambda env: items(env, iter(iterable(env)))


def _set(node: ast.SetComp) -> Closure:
    run = _elements(node)
    return lambda env: set(run(env))


def _dict(node: ast.DictComp) -> Closure:
    key, value, loops = expression(node.key), expression(node.value), _loops(node.generators)

    def run(env: Scope) -> Value:
        inner = Scope(env, env.file, env.budget, True)
        return {key(inner): value(inner) for _ in _iterate(loops, inner)}

    return run


EXPRESSIONS: Expressions = {
    ast.ListComp: _elements,
    ast.GeneratorExp: _generator,
    ast.SetComp: _set,
    ast.DictComp: _dict,
}
