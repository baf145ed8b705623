"""The only way from evaluated code to an attribute of anything: by the kind of the receiver.

Objects of our own kinds (`Open`) show their public names and a few harmless dunders; those that all evaluations share
show no private ones. Plain data shows the methods of its table, those that could blow up in counted form. Exceptions
show what they were made of. Functions show their names, iterators nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.class_reading import annotations_of, attribute_error, fields_of, read_class
from loadproof.interpret.language.gate.host import find, function_state, own, state
from loadproof.interpret.language.gate.kinds import CALLABLE, METHODS, PLAINLY, admitted, charge_text
from loadproof.interpret.language.gate.names import DATA_DUNDERS, GATED, OF_EXCEPTIONS, OF_FUNCTIONS, check_name
from loadproof.interpret.language.gate.supers import read_super
from loadproof.interpret.language.gate.types import class_of
from loadproof.interpret.language.gate.writing import check_write
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Open, Sealed, Value

_MISSING = object()
_OF_KIND = {"__dataclass_fields__": fields_of, "__annotations__": annotations_of}  # kept by the class
_PROPERTY_METHODS = ("__set__", "__get__", "setter", "getter", "deleter")


def reader(owner: Callable[[Scope], Value], name: str) -> Callable[[Scope], Value]:
    """The closure of ``owner.name`` for a public name: most receivers are objects of ours without a table."""

    def run(env: Scope) -> Any:
        obj = owner(env)
        kind = type(obj)
        if issubclass(kind, Open) and kind.__direct__:
            value = getattr(obj, name)
            return value if type(value) in PLAINLY else admitted(value)
        return read(obj, name)

    return run


def read(obj: Any, name: str) -> Any:
    """`obj.name` for evaluated code."""
    check_name(name)
    kind = type(obj)
    table = METHODS.get(kind)
    if table is not None:
        return _read_data(obj, name, table)
    if issubclass(kind, type):
        return _plain_get if name == "__getattribute__" else read_class(obj, name)
    if issubclass(kind, Open):
        return admitted(_read_open(obj, name, kind))
    return _read_other(obj, name, kind)


def _read_open(obj: Any, name: str, kind: type) -> Any:
    if name in GATED:
        return partial(_plain_get, obj) if name == "__getattribute__" else partial(_through_gate, obj, name)
    if name in _OF_KIND:
        return _OF_KIND[name](kind)
    if name == "__class__":
        return class_of(obj)
    if issubclass(kind, Sealed) and name[:1] == "_":
        return _read_sealed(obj, name, kind)
    return getattr(obj, name) if find(kind, "__direct__") else _read_mixed(obj, name, kind)


def _plain_get(obj: Any, name: str) -> Any:
    """`object.__getattribute__(obj, name)`."""
    check_name(name)
    kind = type(obj)
    is_plain = issubclass(kind, Open) and not issubclass(kind, Sealed) and find(kind, "__direct__")
    if not is_plain or name in GATED or name in ("__dict__", "__class__"):
        return read(obj, name)
    return admitted(object.__getattribute__(obj, name))


def _read_sealed(obj: Any, name: str, kind: type) -> Any:
    """A private name of a shared object: one that the module it stands for might have, never our own fields."""
    if name in ("__dict__", "__init__", "__new__"):
        raise ForbiddenAttribute(f"{name} of a {kind.__name__}")
    if name.startswith("__"):
        return getattr(obj, name)
    other = find(kind, "__getattr__")
    if other is None:
        raise attribute_error(obj, name)
    return other(obj, name)


def _read_data(obj: Any, name: str, table: dict[str, Any]) -> Any:
    method = table.get(name, _MISSING)
    if method is None:
        if isinstance(obj, (str, bytes)):
            charge_text(obj, name)
        return getattr(obj, name)
    if method is not _MISSING:
        return partial(method, obj)
    if name == "__class__":
        return class_of(obj)
    if name == "__doc__" or not hasattr(obj, name):
        raise attribute_error(obj, name)
    if name in DATA_DUNDERS:
        return getattr(obj, name)
    raise ForbiddenAttribute(f"{type(obj).__name__}.{name}")


def _read_mixed(obj: Any, name: str, kind: type) -> Any:
    """An instance of an evaluated class that extends plain data or an exception: its own names, else those of the table."""
    if name in state(obj):
        return getattr(obj, name)
    for cls in kind.__mro__:
        if cls in METHODS:
            return _read_data(obj, name, METHODS[cls])
        if issubclass(cls, BaseException) and not issubclass(cls, Open):
            return _read_exception(obj, name)
        if name in own(cls):
            break
    return getattr(obj, name)


def _read_exception(obj: Any, name: str) -> Any:
    if name in OF_EXCEPTIONS:
        return getattr(obj, name)
    if not hasattr(obj, name):
        raise attribute_error(obj, name)
    raise ForbiddenAttribute(f"{name} of an exception")


def _read_other(obj: Any, name: str, kind: type) -> Any:
    if kind is super:
        return admitted(read_super(obj, name, read))
    if name == "__class__":
        return class_of(obj)
    if issubclass(kind, BaseException):
        return _read_exception(obj, name)
    if issubclass(kind, property) and name in _PROPERTY_METHODS:
        return getattr(obj, name)
    if kind in CALLABLE and name in OF_FUNCTIONS:
        return getattr(obj, name, None)
    if name[:2] != "__" and (known := function_state(obj)) is not None:
        return _of_function(obj, known, name)
    if not hasattr(obj, name):
        raise attribute_error(obj, name)
    raise ForbiddenAttribute(f"{name} of a {kind.__name__}")


def _of_function(obj: Any, known: Mapping[str, Any], name: str) -> Any:
    """What evaluated code gave to a function of its own."""
    if name not in known:
        raise attribute_error(obj, name)
    return admitted(known[name])


def _through_gate(obj: Value, method: str, name: str, *value: Value) -> None:
    check_write(obj, name)
    getattr(obj, method)(name, *value)
