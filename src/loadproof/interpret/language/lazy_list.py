"""A list display inside a lazy dictionary: its items are evaluated when the first of them is looked at.

A copy that nobody has looked into stays lazy too: releases copy whole rule lists under other names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from loadproof.interpret.language.values import Value


class Source:
    """The items of one display, evaluated once for all its copies."""

    def __init__(self, evaluate: Callable[[], Iterable[Value]]) -> None:
        self.evaluate = evaluate
        self.items: list[Value] | None = None

    def get(self) -> list[Value]:
        if self.items is None:
            self.items = list(self.evaluate())
        return self.items


class LazyList(list[Value]):
    """Behaves as the list it stands for; every access fills it first."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source: Source | None = source

    def fill(self) -> None:
        if self.source is not None:
            source, self.source = self.source, None
            super().extend(source.get())

    def copy(self) -> list[Value]:
        if self.source is not None:
            return LazyList(self.source)
        return list(self)

    def __add__(self, other: Any) -> Any:
        return [*self, *other]

    def __radd__(self, other: Any) -> Any:
        return [*other, *self]


def _filled(name: str) -> Value:
    original = getattr(list, name)

    def method(self: LazyList, *args: Any, **kwargs: Any) -> Any:
        self.fill()
        return original(self, *args, **kwargs)

    return method


_NAMES = (
    "append extend insert pop remove index count sort reverse clear __getitem__ __setitem__ __delitem__ __iter__ "
    "__len__ "
    "__contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __iadd__ __mul__ __rmul__ __imul__ __reversed__ __repr__"
)
for _name in _NAMES.split():
    setattr(LazyList, _name, _filled(_name))
