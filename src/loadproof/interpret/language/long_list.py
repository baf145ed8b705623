"""A long list of computed numbers of which mostly the length is wanted: tables of scaling factors by position.

``[math.log(i, n) if i > n else 1 for i in range(1, 32768)]`` in each of eighty layers would cost more than all the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.lazy_list import LazyList, Source

SHORTEST = 4_096  # elements; anything shorter is computed at once
_QUIET = (
    *(ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)


class LongList(LazyList):
    """Knows its length; single items are computed alone, anything else computes all of them."""

    def __init__(self, items: range, element: Callable[[int], Any]) -> None:
        super().__init__(Source(lambda: [element(i) for i in items]))
        self.range, self.element = items, element
        for end in (0, -1):  # what fails at the ends fails at once
            element(items[end])

    def __len__(self) -> int:
        return len(self.range) if self.source is not None else list.__len__(self)

    def __getitem__(self, index: Any) -> Any:
        if self.source is not None and type(index) is int:
            return self.element(self.range[index])
        return super().__getitem__(index)


def changes_nothing(node: ast.expr) -> bool:
    """Whether an expression only computes: arithmetic on names and attributes, and functions of `math`."""
    todo: list[ast.AST] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Call):
            function = item.func
            if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
                return False
            if function.value.id != "math" or item.keywords:
                return False
            todo.extend(item.args)
        elif isinstance(item, _QUIET):
            todo.extend(ast.iter_child_nodes(item))
        else:
            return False
    return True
