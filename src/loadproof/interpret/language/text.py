"""Text operations of evaluated code, without attribute walks and without blow-ups.

`str.format` fields may walk attributes (``{0.__class__}``), and widths may ask for gigabytes; both are refused here.
"""

from __future__ import annotations

import re
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import index
from string import Formatter
from types import MappingProxyType
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import ForbiddenAttribute, LimitReached, UnknownUsed

_NUMBERS = re.compile(r"\d+")
_SPECIFIER = re.compile(r"[-+ #0-9.*hlL]*")
_WIDTH = 1_000
_OPAQUE = frozenset(
    [
        *(types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.GeneratorType, partial, super),
        *(map, filter, zip, enumerate, reversed),
    ]
)
_CONTAINERS: tuple[Any, ...] = (
    list,
    tuple,
    set,
    frozenset,
    deque,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


def show(value: Any) -> str:
    """`str(value)`; nested containers are measured first, as shared references can make their text endless."""
    measure(value)
    return str(value)


def show_repr(value: Any) -> str:
    measure(value)
    return repr(value)


def measure(value: Any) -> None:
    """Charge for what the text of a value is made of; parts that are shared count as often as they are shown."""
    if isinstance(value, str):
        limits.current().charge(str.__len__(value), "text")
        return
    if type(value) in _OPAQUE or isinstance(value, property):
        raise UnknownUsed("the text of a function or an iterator is not known")
    parts = _parts(value)
    if parts is not None:
        limits.current().step()
        for part in parts:
            measure(part)


def _parts(value: Any) -> Iterable[Any] | None:
    if isinstance(value, _CONTAINERS):
        return tuple(value)
    if isinstance(value, (dict, MappingProxyType)):
        return chain(value.keys(), value.values())
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    args: tuple[Any, ...] = value.args if isinstance(value, BaseException) else ()
    return args or None


def format_value(value: Any, spec: str = "") -> str:
    """The builtin `format`, with a bound on widths."""
    if any(len(n) > 4 or int(n) > _WIDTH for n in _NUMBERS.findall(spec)):
        raise LimitReached(f"text width in format {spec[:40]!r}")
    if isinstance(value, (list, tuple, dict, set, frozenset)) or not spec:
        return show(value)
    return format(value, spec)


def format_text(text: str, *args: Any, **kwargs: Any) -> str:
    """`str.format` without attribute or item access inside fields."""
    return _Fields().vformat(text, args, kwargs)


class _Fields(Formatter):
    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        if "." in field_name or "[" in field_name:
            raise ForbiddenAttribute(f"format field {field_name[:40]!r}")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        return format_value(value, format_spec)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return value if conversion is None else show_repr(value) if conversion in ("r", "a") else show(value)


def percent_format(text: str, values: Any) -> str:
    """``text % values`` with a bound on widths. Raises LimitReached for a width that is not written out in a few digits."""
    for width in _percent_widths(str.__str__(text)):
        if "*" in width or any(len(n) > 9 or int(n) > _WIDTH for n in _NUMBERS.findall(width)):
            raise LimitReached(f"text width in format {text[:40]!r}")
    measure(values)
    limits.current().charge(str.__len__(text), "text")
    return str(text % values)


def _percent_widths(text: str) -> Iterator[str]:
    """Flags, width and precision of each conversion. A key ends at the parenthesis that closes it, as in Python."""
    at = text.find("%")
    while at >= 0:
        found = _SPECIFIER.match(text, _behind_key(text, at + 1))
        assert found is not None
        yield found.group()
        at = text.find("%", found.end() + 1)


def _behind_key(text: str, at: int) -> int:
    if text[at : at + 1] != "(":
        return at
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return end + 1
    return len(text)


def join(separator: str, parts: Iterable[Any]) -> str:
    items = list(parts)
    between = str.__len__(separator)
    limits.current().charge(sum(str.__len__(x) + between for x in items if isinstance(x, str)), "text")
    return str.join(separator, items)


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    if isinstance(old, str) and isinstance(new, str):
        limits.current().charge(str.__len__(text) + str.count(text, old) * str.__len__(new), "text")
    return str.replace(text, old, new, count)


def pad(method: str) -> Any:
    """One of `_PADDED`, counted."""
    make = _PADDED[method]

    def padded(text: str, width: int, *fill: str) -> str:
        width = index(width)
        limits.current().charge(max(width, str.__len__(text)), "text")
        return make(text, width, *fill)

    return padded


_PADDED: dict[str, Callable[..., str]] = {
    "ljust": str.ljust,
    "rjust": str.rjust,
    "center": str.center,
    "zfill": str.zfill,
}
