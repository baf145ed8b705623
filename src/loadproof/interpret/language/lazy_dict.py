"""A large dictionary display whose values are evaluated when they are looked at.

A release writes its conversion rules as one display of hundreds of entries; one model needs three of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from loadproof.interpret.language.values import Value

LARGE = 64  # entries from which on a display is lazy


class LazyDict(dict[Value, Value]):
    """Keys at once, values on demand. Overriding `__iter__` keeps CPython from copying the raw entries."""

    def __init__(self, thunks: dict[Value, Callable[[], Value]]) -> None:
        super().__init__(thunks)
        self.pending = dict(thunks)

    def __getitem__(self, key: Value) -> Value:
        thunk = self.pending.pop(key, None)
        if thunk is not None:
            super().__setitem__(key, thunk())
        return super().__getitem__(key)

    def __setitem__(self, key: Value, value: Value) -> None:
        self.pending.pop(key, None)
        super().__setitem__(key, value)

    def __delitem__(self, key: Value) -> None:
        self.pending.pop(key, None)
        super().__delitem__(key)

    def __iter__(self) -> Iterator[Value]:
        return super().__iter__()

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - `get` is what is written here

    def pop(self, key: Any, *default: Any) -> Any:
        if key in self:
            self[key]
        return super().pop(key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def _all(self) -> dict[Value, Value]:
        return {key: self[key] for key in list(self)}

    def copy(self) -> dict[Value, Value]:
        return self._all()

    def items(self) -> Any:
        return self._all().items()

    def values(self) -> Any:
        return self._all().values()

    def __eq__(self, other: object) -> bool:
        return self._all() == other

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return self._all() | other

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self
