"""The parameters of a definition, and how the arguments of a call are placed into them."""

from __future__ import annotations

import ast
from typing import TypeAlias

from loadproof.interpret.language import call_errors
from loadproof.interpret.language.closures import expression
from loadproof.interpret.language.gate.host import find
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Names, Value

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _generates(node: Definition) -> bool:
    """Whether the body yields, its nested functions left aside."""
    if find(node, "lacks_yield"):
        return False
    todo: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(item))
    return False


class Signature:
    """Parameter names and default closures of one definition."""

    def __init__(self, node: Definition) -> None:
        a = node.args
        self.name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
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

    def bind(self, local: Scope, args: tuple[Value, ...], kwargs: Names) -> None:
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

    def _bind_keywords(self, local: Scope, args: tuple[Value, ...], kwargs: Names) -> Names:
        extra: Names = {}
        for name, value in kwargs.items():
            if name not in self.known:
                extra[name] = value
            elif name in self.positional[: len(args)]:
                shown = call_errors.full_name(self.name, local)
                raise TypeError(f"{shown}() got multiple values for argument '{name}'")
            else:
                local[name] = value
        return extra
