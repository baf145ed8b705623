"""`typing`, `dataclasses` and `inspect`: the real ones evaluate text or reach frames."""

from __future__ import annotations

import functools
from typing import Any

from loadproof.interpret.language.copying import deep_copy, shallow_copy
from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.gate import fields_of, find, read, signature_names, write
from loadproof.interpret.language.objects import SimpleNamespace, SourceObject, Unknown
from loadproof.interpret.language.values import Function, Sealed, Value


class Annotation(Sealed):
    """Anything from `typing`: it can be subscripted and combined, and means nothing here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__"):
            raise AttributeError(key)
        raise UnknownUsed(f"{key} of the annotation {self._name}")

    def __getitem__(self, _: Value) -> Value:
        return self

    __iter__ = None  # or a loop over an annotation would be one over its items 0, 1, 2, ... without end

    def __call__(self, *args: Value, **_: object) -> Value:
        return args[-1] if self._name == "cast" and args else self

    def __or__(self, _: Value) -> Value:
        return self

    __ror__ = __or__

    def __mro_entries__(self, _: Value) -> tuple[type, ...]:
        return (SourceObject,)


def typing_name(name: str) -> Value:
    if name == "TYPE_CHECKING":
        return False
    if name in ("overload", "final", "runtime_checkable", "no_type_check", "dataclass_transform"):
        return transparent
    return Annotation(name)


class _Unchanged(Unknown):
    """A value of the evaluator, not a function of the host: evaluated code may keep it and look at it."""

    def __call__(self, *args: Any, **_: object) -> Any:
        return args[0] if args else Unknown("context")


def transparent(*args: Value, **_: object) -> Value:
    """A decorator, with or without arguments, or a context manager, that leaves its function as it is."""
    if len(args) == 1 and callable(args[0]) and not isinstance(args[0], Unknown):
        return args[0]
    return _Unchanged()


# ---------------------------------------------------------------- dataclasses
def fields(cls: Value) -> tuple[Value, ...]:
    """`dataclasses.fields`: names and defaults."""
    kind = cls if isinstance(cls, type) else type(cls)
    if find(kind, "__dataclass_fields__") is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(fields_of(kind).values())


def is_dataclass(value: Value) -> bool:
    return find(value if isinstance(value, type) else type(value), "__dataclass_fields__") is not None


def as_dict(obj: Value, *, dict_factory: Function = dict) -> Value:
    """`dataclasses.asdict`: instances inside of containers become dictionaries too, the rest is copied."""
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return dict_factory([(name, _as_data(read(obj, name), dict_factory)) for name in fields_of(type(obj))])


def _as_data(value: Value, dict_factory: Function) -> Value:
    if not isinstance(value, type) and is_dataclass(value):
        return as_dict(value, dict_factory=dict_factory)
    if isinstance(value, dict):
        return {_as_data(k, dict_factory): _as_data(v, dict_factory) for k, v in value.items()}
    if isinstance(value, list):
        return [_as_data(item, dict_factory) for item in value]
    if isinstance(value, tuple):
        return tuple(_as_data(item, dict_factory) for item in value)
    copy: Value = deep_copy(value)
    return copy


def replace(obj: Value, **changes: Value) -> Value:
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError("replace() should be called on dataclass instances")
    made: Value = shallow_copy(obj)
    for name, value in changes.items():
        write(made, name, value)
    return made


# ---------------------------------------------------------------- inspect
def signature(function: Value) -> Value:
    """`inspect.signature` of an evaluated function or class: parameter names and whether they have defaults."""
    names = signature_names(function)
    if names is None:
        return Unknown("inspect.signature()")
    return SimpleNamespace(parameters={n: SimpleNamespace(name=n, default=Unknown("default")) for n in names})


def bind_method(function: Function, owner: Value) -> Value:
    return functools.partial(function, owner)
