"""The kinds of values that evaluated code may hold, and what each kind of plain data shows.

An exact type that is not here, and no class of ours (`Open`), is not a value: the gate refuses to hand it out.
"""

from __future__ import annotations

import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial
from itertools import chain, count, cycle, islice, repeat
from types import MappingProxyType
from typing import Any

from loadproof.interpret.language import limits, text
from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.types import visible_class
from loadproof.interpret.language.lazy_dict import LazyDict
from loadproof.interpret.language.lazy_list import LazyList
from loadproof.interpret.language.long_list import LongList
from loadproof.interpret.language.values import Open

LONG = 4_096  # characters from which on a method of a text is counted: it may copy or cut the whole


def _plain(names: str) -> dict[str, Any]:
    return dict.fromkeys(names.split())


def _checked(real: type, function: Callable[..., Any]) -> Callable[..., Any]:
    """A counted method, which as an unbound one must not work on anything else."""

    def method(receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not issubclass(type(receiver), real):
            raise TypeError(
                f"descriptor requires a '{real.__name__}' object but received a '{type(receiver).__name__}'"
            )
        return function(receiver, *args, **kwargs)

    return method


def _copy(items: Any) -> Any:
    limits.current().charge(len(items), "copy")
    return items.copy()


def _extend(items: list[Any], more: Any) -> None:
    more = list(more)
    limits.current().charge(len(items) + len(more), "list")
    items.extend(more)


def _mapping(real: type, more: str = "") -> dict[str, Any]:
    names = "get items keys values pop popitem setdefault update clear " + more
    return {**_plain(names), "copy": _checked(real, _copy)}


_SET = _plain(
    "add discard remove update union intersection difference symmetric_difference issubset issuperset isdisjoint "
    "copy pop clear difference_update intersection_update"
)
_LIST: dict[str, Any] = {
    **_plain("append insert pop remove index count sort reverse clear"),
    "extend": _checked(list, _extend),
    "copy": _checked(list, _copy),
}
_TEXT = {
    "join": text.join,
    "replace": text.replace,
    "format": text.format_text,
    **{name: text.pad(name) for name in ("ljust", "rjust", "center", "zfill")},
}
METHODS: dict[type, dict[str, Any]] = {
    str: {
        **_plain(
            "lower upper title capitalize casefold swapcase strip lstrip rstrip split rsplit splitlines partition "
            "rpartition startswith endswith removeprefix removesuffix find rfind index rindex count isdigit isalpha "
            "isalnum isnumeric isdecimal isupper islower isidentifier isspace isascii encode"
        ),
        **{name: _checked(str, function) for name, function in _TEXT.items()},
    },
    bytes: _plain("decode startswith endswith"),
    int: _plain("bit_length real imag numerator denominator conjugate"),
    bool: {},
    float: _plain("is_integer real imag"),
    complex: _plain("real imag"),
    list: _LIST,
    LazyList: _LIST,
    LongList: _LIST,
    tuple: _plain("index count"),
    dict: _mapping(dict),
    LazyDict: _mapping(dict),
    OrderedDict: _mapping(OrderedDict, "move_to_end"),
    defaultdict: _mapping(defaultdict, "default_factory"),
    Counter: _mapping(Counter, "most_common"),
    MappingProxyType: _plain("get items keys values"),
    deque: _plain("append appendleft pop popleft clear"),
    set: _SET,
    frozenset: _SET,
    range: _plain("start stop step index count"),
    slice: _plain("start stop step indices"),
    re.Match: _plain("group groups groupdict start end span string"),
    type(None): {},
    type({}.keys()): _plain("isdisjoint"),
    type({}.values()): {},
    type({}.items()): {},
}
CLASS_METHODS: dict[type, dict[str, Any]] = {
    dict: {"fromkeys": lambda keys, value=None: dict.fromkeys(list(keys), value)},
    OrderedDict: {"fromkeys": lambda keys, value=None: OrderedDict.fromkeys(list(keys), value)},
    int: {"from_bytes": int.from_bytes},
    float: {"fromhex": float.fromhex},
}
DATA = tuple(METHODS)
# They can be called and show their names, nothing of what they are made of.
CALLABLE = (
    *(types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType, partial),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType, super),
)
# They can be iterated once and show nothing.
ITERATORS = (
    *map(type, (iter([]), iter(()), iter(""), iter(b""), iter({}), iter({}.values()), iter({}.items()), iter(set()))),
    *map(type, (iter(range(0)), iter(range(1 << 70)), reversed([]), reversed(()), reversed({}), re.finditer("", ""))),
    *(types.GeneratorType, map, filter, zip, enumerate, chain, count, cycle, islice, repeat),
)
PLAINLY = frozenset(
    [*METHODS, *CALLABLE, *ITERATORS, property, classmethod, staticmethod, object, type(...), type(NotImplemented)]
)


def charge_text(text: str | bytes, name: str) -> None:
    """Methods of a long text make another of its size, or cut it into a list of many."""
    length = str.__len__(text) if isinstance(text, str) else bytes.__len__(text)
    if length > LONG:
        limits.current().charge(length * (4 if "split" in name else 1), f"{name}() of a text")


def admitted(value: Any) -> Any:
    """The value, if it is of a kind that evaluated code may hold; a class in the form in which it may be seen."""
    kind = type(value)
    if kind in PLAINLY or issubclass(kind, (Open, BaseException)):
        return value
    if issubclass(kind, type):
        return visible_class(value)
    if issubclass(kind, property):
        return value
    raise ForbiddenAttribute(f"a value of type {kind.__name__}")
