"""Classes as evaluated code sees them: builtin types as stand-ins with bounds, our own without their inside."""

from __future__ import annotations

import collections.abc
import re
from functools import partial
from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Open, Sealed, Value


class GuardedType(type):
    """Metaclass of the stand-ins for builtin types: same tests and annotations, constructors with bounds."""

    real: type
    make: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.make(*args, **kwargs)

    def __instancecheck__(cls, instance: Value) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(real_type(subclass), cls.real)

    def __getitem__(cls, item: Value) -> Value:
        return cls

    __iter__ = None  # or `for x in list` would ask `list[0]`, `list[1]`, ... without end

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __or__

    def __mro_entries__(cls, bases: Value) -> Value:
        return (cls.real,)


_VISIBLE: dict[type, type] = {}
# Classes of Python that are handed out as they are: they can be called and show their names.
BUILTIN = frozenset(
    [
        *(
            object,
            bool,
            int,
            float,
            complex,
            property,
            classmethod,
            staticmethod,
            enumerate,
            filter,
            map,
            reversed,
            slice,
        ),
        *(zip, partial, re.Match, *map(collections.abc.__dict__.__getitem__, collections.abc.__all__)),
    ]
)


def guarded_type(real: type, make: Any, *also: type) -> GuardedType:
    """The stand-in of a builtin type, which also stands for our variants of it."""
    cls = GuardedType(real.__name__, (), {"real": real, "make": staticmethod(make)})
    _VISIBLE.update(dict.fromkeys((real, *also), cls))
    return cls


def seen_as(cls: type, other: type) -> None:
    """Let instances of `cls` pass for instances of a builtin type."""
    _VISIBLE[cls] = visible_type(other)


def real_type(cls: Any) -> Any:
    """What a stand-in stands for; any other class as it is."""
    return cls.real if type(cls) is GuardedType else cls


def visible_type(cls: type) -> Any:
    """The class that evaluated code sees for `type(x)`."""
    return _VISIBLE.get(cls, cls)


def visible_class(cls: Any) -> Any:
    """A class as evaluated code may hold it. Raises ForbiddenAttribute for one that is none of its business."""
    seen = visible_type(cls)
    kind = type(seen)
    if kind is GuardedType or seen in BUILTIN or issubclass(seen, BaseException):
        return seen
    if not issubclass(seen, Open) or (issubclass(seen, Sealed) and not seen.__visible__):
        raise ForbiddenAttribute(f"the class {cls.__name__}")
    return seen


def class_of(obj: Any) -> Any:
    """`type(obj)` for evaluated code. Classes of functions, generators, frames and the like are constructors: refused."""
    kind = type(obj)
    if issubclass(kind, type):
        return visible_type(type)
    if issubclass(kind, Sealed) and not kind.__visible__:
        return Unknown("type()")
    if kind in _VISIBLE or kind in BUILTIN or issubclass(kind, (Open, BaseException, *_PLAIN)):
        return visible_type(kind)
    raise ForbiddenAttribute(f"type of a {kind.__name__}")


_PLAIN = (str, int, float, complex, bytes, list, tuple, dict, set, frozenset, range, slice, type(None))
