"""`copy.copy` and `copy.deepcopy` for plain data and evaluated objects, without the pickle protocol's hooks."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.objects import Namespace, Open, Unknown

_ATOMS = (str, int, float, bool, bytes, type(None), complex, range, slice, type)


def deep_copy(value: Any, memo: Any = None) -> Any:
    """A copy that shares nothing mutable with the original; shared parts stay shared inside the copy."""
    return _deep(value, {} if memo is None or not isinstance(memo, dict) else memo)


def _deep(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, (*_ATOMS, Unknown, Namespace)) and not _extended(value):
        return value
    known = memo.get(id(value))
    if known is not None:
        return known[0]
    limits.current().step()
    return _deep_container(value, memo)


def _extended(value: Any) -> bool:
    return (
        isinstance(value, Open)
        and not isinstance(value, (Unknown, Namespace, type))
        and bool(getattr(value, "__dict__", None))
    )


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
        made = type(value)(_deep(v, memo) for v in value)
        memo[id(value)] = (made, value)
        return made
    return value  # functions, patterns, iterators: copies of these are the same object


def _deep_object(value: Any, memo: dict[int, Any]) -> Any:
    own = getattr(type(value), "__deepcopy__", None)
    if own is not None:
        return own(value, memo)
    made = shallow_copy(value)
    memo[id(value)] = (made, value)
    state = made.__dict__
    for key, item in list(state.items()):
        state[key] = _deep(item, memo)
    if isinstance(value, dict):
        for key, item in list(dict.items(value)):
            dict.__setitem__(made, key, _deep(item, memo))
    return made


def shallow_copy(value: Any) -> Any:
    if isinstance(value, Open) and not isinstance(value, (Unknown, Namespace, type)):
        cls: Any = type(value)
        base: Any = next((b for b in (str, int, float, tuple) if isinstance(value, b)), None)
        made = cls.__new__(cls) if base is None else base.__new__(cls, value)
        if isinstance(value, dict):
            dict.update(made, value)
        elif isinstance(value, list):
            list.extend(made, value)
        made.__dict__.update(value.__dict__)
        return made
    return value.copy() if isinstance(value, (dict, list, set)) else value
