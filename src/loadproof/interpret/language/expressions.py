"""Expressions: a syntax node becomes a closure that takes a scope and returns the value."""

# ruff: noqa: ARG005 - every closure takes a scope
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from types import GenericAlias
from typing import Any

from loadproof.interpret.language.errors import UnsupportedSyntax
from loadproof.interpret.language.gate import check_name, make_super, read, reader
from loadproof.interpret.language.lazy_dict import LARGE, LazyDict
from loadproof.interpret.language.lazy_list import LazyList, Source
from loadproof.interpret.language.long_list import SHORTEST, LongList, changes_nothing
from loadproof.interpret.language.operators import BINARY, COMPARE, UNARY
from loadproof.interpret.language.scope import CLASS, SELF, YIELDS, Scope, is_private, mangled
from loadproof.interpret.language.text import format_value, show_repr

Closure = Callable[[Scope], Any]
_COPIED = (list, tuple, str, bytes)


def expression(node: ast.expr) -> Closure:
    """Closure of an expression. Raises UnsupportedSyntax for what the subset lacks."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise UnsupportedSyntax(type(node).__name__)
    return handler(node)


def _constant(node: Any) -> Closure:
    value = node.value
    return lambda env: value


def _name(node: Any) -> Closure:
    name = CLASS if node.id == "__class__" else node.id
    return lambda env: env[name]


def _attribute(node: Any) -> Closure:
    owner, name = expression(node.value), node.attr
    if is_private(name):
        return lambda env: read(owner(env), mangled(name, env))
    check_name(name)
    if name.startswith("_"):
        return lambda env: read(owner(env), name)
    return reader(owner, name)


def _binary(node: Any) -> Closure:
    left, right, function = expression(node.left), expression(node.right), BINARY[type(node.op)]
    return lambda env: function(left(env), right(env))


def _unary(node: Any) -> Closure:
    operand, function = expression(node.operand), UNARY[type(node.op)]
    return lambda env: function(operand(env))


def _boolean(node: Any) -> Closure:
    parts, stop_on = [expression(v) for v in node.values], isinstance(node.op, ast.Or)
    last = parts.pop()

    def run(env: Scope) -> Any:
        for part in parts:
            value = part(env)
            if bool(value) is stop_on:
                return value
        return last(env)

    return run


def _compare(node: Any) -> Closure:
    first = expression(node.left)
    rest = [(COMPARE[type(o)], expression(c)) for o, c in zip(node.ops, node.comparators, strict=True)]
    if len(rest) == 1:
        function, right = rest[0]
        return lambda env: function(first(env), right(env))

    def run(env: Scope) -> Any:
        left = first(env)
        for function, right in rest:
            value = right(env)
            if not function(left, value):
                return False
            left = value
        return True

    return run


def _starred(nodes: list[ast.expr]) -> list[tuple[bool, Closure]]:
    return [(isinstance(n, ast.Starred), expression(n.value if isinstance(n, ast.Starred) else n)) for n in nodes]


def _collect(items: list[tuple[bool, Closure]], env: Scope) -> list[Any]:
    out: list[Any] = []
    for star, item in items:
        if star:
            out.extend(item(env))
            env.budget.charge(len(out), "list")
        else:
            out.append(item(env))
    return out


def _call(node: Any) -> Closure:
    function, args = expression(node.func), _starred(node.args)
    keywords = [(k.arg, expression(k.value)) for k in node.keywords]
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not args:
        return lambda env: make_super(env[CLASS], env[env[SELF]])
    if keywords or any(star for star, _ in args):
        return _full_call(function, args, keywords)
    plain = [a for _, a in args]
    if len(plain) == 1:
        only = plain[0]
        return lambda env: function(env)(only(env))
    return lambda env: function(env)(*[a(env) for a in plain])


def _full_call(function: Closure, args: list[tuple[bool, Closure]], keywords: list[tuple[Any, Closure]]) -> Closure:
    def run(env: Scope) -> Any:
        target, positional, named = function(env), _collect(args, env), {}
        for name, value in keywords:
            if name is None:
                named.update(value(env))
            else:
                named[name] = value(env)
        return target(*positional, **named)

    return run


def _conditional(node: Any) -> Closure:
    test, then, other = expression(node.test), expression(node.body), expression(node.orelse)
    return lambda env: then(env) if test(env) else other(env)


def _list(node: Any) -> Closure:
    items = _starred(node.elts)
    return lambda env: _collect(items, env)


def _tuple(node: Any) -> Closure:
    items = _starred(node.elts)
    return lambda env: tuple(_collect(items, env))


def _set(node: Any) -> Closure:
    items = _starred(node.elts)
    return lambda env: set(_collect(items, env))


def _dict(node: Any) -> Closure:
    names = _constant_names(node) if _is_large(node) else None
    pairs: list[tuple[Closure | None, Closure]] | None = None

    def run(env: Scope) -> Any:
        nonlocal pairs
        if names is not None and env.file.name.startswith("transformers.") and not _bound_here(env, names):
            return LazyDict({k.value: partial(_late, v, env) for k, v in zip(node.keys, node.values, strict=True)})
        if pairs is None:
            pairs = _pairs(node)
        out: dict[Any, Any] = {}
        for key, value in pairs:
            if key is None:
                out.update(value(env))
            else:
                out[key(env)] = value(env)
        return out

    if names is None:
        pairs = _pairs(node)
    return run


def _pairs(node: ast.Dict) -> list[tuple[Closure | None, Closure]]:
    keys = [None if key is None else expression(key) for key in node.keys]
    return list(zip(keys, map(expression, node.values), strict=True))


def _is_large(node: ast.Dict) -> bool:
    return len(node.keys) >= LARGE and all(isinstance(key, ast.Constant) for key in node.keys)


def _late(node: ast.expr, env: Scope) -> Any:
    """The value of a display's entry, turned into a closure only now: most are never asked for."""
    if isinstance(node, ast.List):
        return LazyList(Source(lambda: expression(node)(env)))
    return expression(node)(env)


def _constant_names(node: ast.Dict) -> frozenset[str] | None:
    """The names a display uses, None when it could change something while it is evaluated."""
    names: set[str] = set()
    todo: list[Any] = list(node.values)
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is list:
            todo.extend(item)
        elif kind is ast.Name:
            names.add(item.id)
        elif kind in (ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await):
            return None
        elif kind is not ast.Constant and isinstance(item, ast.AST):
            todo.extend(ast.iter_child_nodes(item))
    return frozenset(names)


def _bound_here(env: Scope, names: frozenset[str]) -> bool:
    """Whether one of the names belongs to a function's scope, where it may change before it is looked at."""
    scope: Scope | None = env
    while scope is not None:
        if any(n in scope for n in names):
            return True
        scope = scope.parent
    return False


def _subscript(node: Any) -> Closure:
    owner, index = expression(node.value), expression(node.slice)
    if isinstance(node.slice, ast.Slice):
        return lambda env: _sliced(owner(env), index(env), env)

    def run(env: Scope) -> Any:
        whole = owner(env)
        found = whole[index(env)]
        return whole if type(found) is GenericAlias else found  # a class stands for all that it may be of

    return run


def _sliced(owner: Any, index: Any, env: Scope) -> Any:
    """A slice copies: it is counted, once it is there, as it is no longer than what it was cut from."""
    part = owner[index]
    if type(part) in _COPIED and len(part) > 4096:
        env.budget.charge(len(part), "slice")
    return part


def _slice(node: Any) -> Closure:
    parts = [expression(v) if v is not None else (lambda env: None) for v in (node.lower, node.upper, node.step)]
    return lambda env: slice(*[p(env) for p in parts])


def _joined(node: Any) -> Closure:
    parts = [expression(v) for v in node.values]

    def run(env: Scope) -> str:
        text = "".join([p(env) for p in parts])
        if len(text) > 4096:
            env.budget.charge(len(text), "text")
        return text

    return run


def _formatted(node: Any) -> Closure:
    value, as_repr = expression(node.value), node.conversion in (ord("r"), ord("a"))
    spec: Closure = expression(node.format_spec) if node.format_spec else (lambda env: "")

    def run(env: Scope) -> str:
        found = value(env)
        return format_value(show_repr(found) if as_repr else found, spec(env))

    return run


# ---------------------------------------------------------------- comprehensions
Loop = tuple[Callable[[Scope, Any], None], Closure, list[Closure]]


def _loops(node: Any) -> list[Loop]:
    from loadproof.interpret.language.targets import store

    return [(store(g.target), expression(g.iter), [expression(i) for i in g.ifs]) for g in node.generators]


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


def _list_comprehension(node: Any) -> Callable[[Scope], list[Any]]:
    element, loops = expression(node.elt), _loops(node)
    is_long = _may_be_long(node)

    def run(env: Scope) -> list[Any]:
        if is_long is not None:
            items = loops[0][1](env)
            if isinstance(items, range) and len(items) >= SHORTEST:
                return LongList(items, partial(_at, env, is_long, element))
            return [element(inner) for inner in _each(env, loops[0][0], items)]
        inner = Scope(env, env.file, env.budget, True)
        return [element(inner) for _ in _iterate(loops, inner)]

    return run


def _may_be_long(node: Any) -> str | None:
    """The loop's name where a comprehension only computes from a single loop, see `long_list`."""
    only = node.generators[0] if len(node.generators) == 1 else None
    if only is None or only.ifs or not isinstance(only.target, ast.Name) or not isinstance(node, ast.ListComp):
        return None
    is_range = isinstance(only.iter, ast.Call) and is_name(only.iter.func, "range")
    return only.target.id if is_range and changes_nothing(node.elt) else None


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _at(env: Scope, name: str, element: Closure, index: int) -> Any:
    inner = Scope(env, env.file, env.budget, True)
    env.budget.step()
    inner[name] = index
    return element(inner)


def _each(env: Scope, assign: Any, items: Any) -> Iterator[Scope]:
    inner = Scope(env, env.file, env.budget, True)
    for value in items:
        env.budget.step()
        assign(inner, value)
        yield inner


def _generator(node: Any) -> Closure:
    """Only what the first loop runs over is evaluated at once, the rest when somebody asks for an item."""
    element, loops = expression(node.elt), _loops(node)
    (assign, iterable, conditions), *inner_loops = loops

    def items(env: Scope, outer: Iterator[Any]) -> Iterator[Any]:
        inner = Scope(env, env.file, env.budget, True)
        first = [(assign, lambda _: outer, conditions), *inner_loops]
        for _ in _iterate(first, inner):
            yield element(inner)

    return lambda env: items(env, iter(iterable(env)))


def _set_comprehension(node: Any) -> Closure:
    run = _list_comprehension(node)
    return lambda env: set(run(env))


def _dict_comprehension(node: Any) -> Closure:
    key, value, loops = expression(node.key), expression(node.value), _loops(node)

    def run(env: Scope) -> dict[Any, Any]:
        inner = Scope(env, env.file, env.budget, True)
        return {key(inner): value(inner) for _ in _iterate(loops, inner)}

    return run


def _lambda(node: Any) -> Closure:
    from loadproof.interpret.language.functions import function_maker

    return function_maker(node, [ast.copy_location(ast.Return(node.body), node)])


def _walrus(node: Any) -> Closure:
    value, name = expression(node.value), node.target.id

    def run(env: Scope) -> Any:
        result, target = value(env), env
        while target.comprehension and target.parent is not None:
            target = target.parent
        target.assign(name, result)
        return result

    return run


# ---------------------------------------------------------------- generators, see `functions`
def _yield(node: Any) -> Closure:
    value: Closure = expression(node.value) if node.value is not None else (lambda env: None)

    def run(env: Scope) -> None:
        env.budget.step()
        env[YIELDS].append(value(env))

    return run


def _yield_from(node: Any) -> Closure:
    value = expression(node.value)

    def run(env: Scope) -> None:
        for item in value(env):
            env.budget.step()
            env[YIELDS].append(item)

    return run


EXPRESSIONS: dict[type, Callable[[Any], Closure]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.Call: _call,
    ast.IfExp: _conditional,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.ListComp: _list_comprehension,
    ast.GeneratorExp: _generator,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
