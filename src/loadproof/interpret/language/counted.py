"""Constructors of plain data that count what they copy.

They serve direct calls (`list(x)`), evaluated classes that extend plain data (`class C(str)`), and the unbound
`str.__new__`: the raw constructors would allocate, or make the text of containers that share their parts, uncounted.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language import limits, text
from loadproof.interpret.language.values import Value

_SIZED = (str, bytes, list, tuple, set, frozenset, dict, range, deque)


def counting(real: Any) -> Callable[..., Any]:
    """`real`, or its `__new__` or `__init__`, with its arguments counted before and what it makes afterwards."""

    def make(*args: Any, **kwargs: Any) -> Any:
        known = _count(args)
        made = real(*args, **kwargs)
        if not known and isinstance(made, _SIZED):
            _charge(len(made))
        return made

    return make


def text_of(value: Value = "", *encoding: Value) -> str:
    """The builtin `str`."""
    return str(value, *encoding) if encoding else text.show(value)


def bytes_of(value: Any = b"", *encoding: Any) -> bytes:
    if isinstance(value, int):
        _charge(value)
    return bytes(value, *encoding)


def _count(args: tuple[Value, ...]) -> bool:
    """Charge for arguments whose size is known; False when there is one whose size is not."""
    for value in args:
        if isinstance(value, _SIZED):
            _charge(len(value))
    return all(isinstance(value, (*_SIZED, type)) for value in args)


def _charge(count: int) -> None:
    limits.current().charge(count, "container")


# ---------------------------------------------------------------- bases of evaluated classes
class _Text(str):
    __slots__ = ()

    def __new__(cls, value: Any = "", *encoding: Any) -> Any:
        if not encoding:
            text.measure(value)
        made = str.__new__(cls, value, *encoding)
        _charge(len(made))
        return made


class _Bytes(bytes):
    __slots__ = ()

    def __new__(cls, value: Any = b"", *encoding: Any) -> Any:
        if isinstance(value, int):
            _charge(value)
        return bytes.__new__(cls, value, *encoding)


def _made_at_once(real: Any) -> type:
    """A base for a type that is filled by `__new__`."""
    new = counting(real.__new__)
    return type(real.__name__, (real,), {"__slots__": (), "__new__": lambda cls, *args: new(cls, *args)})


def _filled_later(real: Any) -> type:
    """A base for a type that is filled by `__init__`."""

    def fill(self: Any, *args: Any, **kwargs: Any) -> None:
        known = _count(args)
        real.__init__(self, *args, **kwargs)
        if not known:
            _charge(real.__len__(self))

    return type(real.__name__, (real,), {"__slots__": (), "__init__": fill})


BASES: dict[type, type] = {
    str: _Text,
    bytes: _Bytes,
    **{real: _made_at_once(real) for real in (tuple, frozenset)},
    **{real: _filled_later(real) for real in (list, dict, set, OrderedDict, defaultdict, Counter, deque)},
}
