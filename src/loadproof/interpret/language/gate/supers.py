"""`super()`: Python's own proxy, read through the tables of the object behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.class_reading import unbound
from loadproof.interpret.language.gate.host import is_evaluated, is_evaluated_class, own
from loadproof.interpret.language.gate.kinds import DATA, METHODS
from loadproof.interpret.language.gate.names import GATED, OF_EXCEPTIONS, check_name
from loadproof.interpret.language.gate.types import real_type
from loadproof.interpret.language.gate.writing import check_write
from loadproof.interpret.language.values import Open, Value

_MISSING = object()
Read = Callable[[Value, str], Value]


def make_super(cls: Any, *owner: Any) -> Any:
    """The builtin `super` with its two arguments: the object behind it must be of a class of ours."""
    if len(owner) != 1:
        raise ForbiddenAttribute("super() of a class alone")
    kind = owner[0] if isinstance(owner[0], type) else type(owner[0])
    if not issubclass(kind, Open):
        raise TypeError("super(type, obj): obj must be an instance or subtype of type")
    return super(real_type(cls), owner[0])


def read_super(proxy: Any, name: str, read: Read) -> Any:
    """`super().name`; the name is checked already."""
    owner = proxy.__self__
    if name in GATED:
        if name == "__getattribute__":
            return partial(read, owner) if isinstance(owner, type) else partial(_get, proxy, owner, read)
        return partial(_write, proxy, owner, name)
    if name in ("__dict__", "__class__"):
        return read(owner, name)
    found = _defining(proxy, name)
    if found is not None and issubclass(found, BaseException) and not issubclass(found, Open):
        return getattr(proxy, name) if name in (*OF_EXCEPTIONS, "__new__") else _refuse(name)
    if isinstance(owner, type) and found is not None and not is_evaluated_class(found):
        raw = own(found)[name]
        if isinstance(raw, property):
            _refuse(name)
        if type(raw) is FunctionType and not is_evaluated(raw):
            return unbound(found, raw)
    return _of_table(proxy, owner, name)


def _refuse(name: str) -> Value:
    raise ForbiddenAttribute(f"{name} of super()")


def _defining(proxy: Any, name: str) -> Any:
    """The ancestor behind the class of the proxy that defines a name."""
    classes = proxy.__self_class__.__mro__
    after = classes.index(proxy.__thisclass__) + 1
    return next((c for c in classes[after:] if name in own(c)), None)


def _of_table(proxy: Any, owner: Any, name: str) -> Any:
    value = getattr(proxy, name)
    if issubclass(type(owner), DATA) and type(value) is not MethodType and not name.startswith("__"):
        table = next(METHODS[c] for c in type(owner).__mro__ if c in METHODS)
        guarded = table.get(name, _MISSING)
        if guarded is _MISSING:
            raise ForbiddenAttribute(name)
        return value if guarded is None else partial(guarded, owner)
    return value


def _get(proxy: Any, owner: Any, read: Read, name: str) -> Any:
    check_name(name)
    if name in GATED or name in ("__dict__", "__class__") or not type(owner).__direct__:
        return read(owner, name)
    return proxy.__getattribute__(name)


def _write(proxy: Value, owner: Value, method: str, name: str, *value: Value) -> None:
    check_write(owner, name)
    getattr(proxy, method)(name, *value)
