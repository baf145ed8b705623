"""`copy.copy` and `copy.deepcopy` for plain data and evaluated objects, without the pickle protocol's hooks."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.enums import EnumType
from loadproof.interpret.language.gate import find, state
from loadproof.interpret.language.values import Open, Sealed

# How the part of an instance that cannot be changed later is made again, past what its class may define.
_EXACT: tuple[tuple[type, Any], ...] = (
    (str, lambda kind, value: str.__new__(kind, str.__str__(value))),
    (int, lambda kind, value: int.__new__(kind, int.__int__(value))),
    (float, lambda kind, value: float.__new__(kind, float.__float__(value))),
    (tuple, lambda kind, value: tuple.__new__(kind, tuple.__iter__(value))),
    (frozenset, lambda kind, value: frozenset.__new__(kind, frozenset.__iter__(value))),
)
_ATOMS = (str, int, float, bool, bytes, type(None), complex, range, slice, type)


def deep_copy(value: Any, memo: Any = None) -> Any:
    """A copy that shares nothing mutable with the original; shared parts stay shared inside the copy."""
    return _deep(value, {} if memo is None or not isinstance(memo, dict) else memo)


def _deep(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, (*_ATOMS, Sealed)) and not _extended(value):
        return value
    if isinstance(type(value), EnumType):
        return value
    known = memo.get(id(value))
    if known is not None:
        return known[0]
    limits.current().step()
    return _deep_container(value, memo)


def _extended(value: Any) -> bool:
    return isinstance(value, Open) and not isinstance(value, (Sealed, type)) and bool(state(value))


def _deep_container(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, Open):
        return _deep_object(value, memo)
    if isinstance(value, dict):
        copy = value.copy()
        copy.clear()
        memo[id(value)] = (copy, value)
        copy.update((_deep(k, memo), _deep(v, memo)) for k, v in value.items())
        return copy
    if isinstance(value, list):
        items: list[Any] = []
        memo[id(value)] = (items, value)
        items.extend(_deep(v, memo) for v in value)
        return items
    if isinstance(value, (tuple, set, frozenset)):
        items = [_deep(v, memo) for v in value]
        made = next(kind for kind in (tuple, set, frozenset) if isinstance(value, kind))(items)
        memo[id(value)] = (made, value)
        return made
    return value  # functions, patterns, iterators: copies of these are the same object


def _deep_object(value: Any, memo: dict[int, Any]) -> Any:
    own = find(type(value), "__deepcopy__")
    if own is not None:
        return own(value, memo)
    made = shallow_copy(value)
    memo[id(value)] = (made, value)
    attributes = state(made)
    for key, item in list(attributes.items()):
        attributes[key] = _deep(item, memo)
    if isinstance(value, dict):
        for key, item in list(dict.items(value)):
            dict.__setitem__(made, key, _deep(item, memo))
    return made


def shallow_copy(value: Any) -> Any:
    """`copy.copy`: an object of the same class and attributes. No constructor of it runs, as it might return another."""
    kind = type(value)
    if issubclass(kind, Open) and not issubclass(kind, Sealed):
        made = _blank(value, kind)
        if issubclass(kind, dict):
            dict.update(made, value)
        elif issubclass(kind, list):
            list.extend(made, value)
        state(made).update(state(value))
        return made
    return value.copy() if isinstance(value, (dict, list, set)) else value


def _blank(value: Any, kind: Any) -> Any:
    exact = next((make for base, make in _EXACT if issubclass(kind, base)), None)
    if exact is not None:
        return exact(kind, value)
    base = next((b for b in kind.__mro__ if b.__module__ == "builtins" or b is OrderedDict), object)
    return base.__new__(kind)
