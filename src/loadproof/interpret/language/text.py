"""Text operations of evaluated code, without attribute walks and without blow-ups.

`str.format` fields may walk attributes (``{0.__class__}``), and widths may ask for gigabytes; both are refused here.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from functools import partial
from itertools import chain
from string import Formatter
from types import MappingProxyType
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import ForbiddenAttribute, LimitReached

_NUMBERS = re.compile(r"\d+")
_PERCENT = re.compile(r"%(?:\(([^)]*+)(?:\)|\Z))?[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.|\Z)", re.S)
_WIDTH = 1_000
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
        limits.current().charge(len(value), "text")
        return
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
    if isinstance(value, partial):
        return value.func, *value.args, *value.keywords.values()
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
    for _, width, precision, _ in _PERCENT.findall(text):
        if "*" in (width, precision) or any(n and int(n) > _WIDTH for n in (width[:9], precision[:9])):
            raise LimitReached(f"text width in format {text[:40]!r}")
    measure(values)
    return str(text % values)


def join(separator: str, parts: Iterable[Any]) -> str:
    items = list(parts)
    limits.current().charge(sum(len(x) + len(separator) for x in items if isinstance(x, str)), "text")
    return separator.join(items)


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    limits.current().charge(len(text) + text.count(old) * len(new), "text")
    return text.replace(old, new, count)


def pad(method: str) -> Any:
    def padded(text: str, width: int, *fill: str) -> str:
        limits.current().charge(int(width), "text")
        return str(getattr(text, method)(width, *fill))

    return padded
