"""`enum.Enum` as far as model sources use it: members with name and value, look-up by value, iteration."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from loadproof.interpret.language.gate.host import find, state
from loadproof.interpret.language.values import Open, Value

AUTO: Any = object()


class EnumType(type):
    """Turns the plain class attributes of an evaluated Enum class into members."""

    _members: dict[str, Value]

    def __new__(mcs, name: str, bases: Any, space: dict[str, Any], **_: object) -> EnumType:
        cls = super().__new__(mcs, name, bases, {**_words(bases, space), **space})
        cls._members = {}
        for key, value in space.items():
            if (not key.startswith("_") and isinstance(value, (str, int, float, tuple, type(None)))) or value is AUTO:
                cls._members[key] = _member(cls, key, len(cls._members) + 1 if value is AUTO else value)
        for key, member in cls._members.items():
            type.__setattr__(cls, key, member)
        cls._members = MappingProxyType(cls._members)  # type: ignore[assignment]  # evaluated code can read it
        return cls

    def __call__(cls, value: Value) -> Value:
        for member in cls._members.values():
            if member is value or _value_of(member) == value:
                return member
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __iter__(cls) -> Iterator[Value]:
        return iter(cls._members.values())

    def __getitem__(cls, key: str) -> Value:
        return cls._members[key]

    def __contains__(cls, value: Value) -> bool:
        return any(m is value or _value_of(m) == value for m in cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)


def _words(bases: tuple[type, ...], space: dict[str, Any]) -> dict[str, Value]:
    """How Python 3.11 and later print the members of ``class X(str, Enum)``, and in an f-string: ``X.NAME``."""
    is_mixed = any(issubclass(b, (str, int, float)) for b in bases)
    if not is_mixed or "_prints_value" in space or any(find(b, "_prints_value") for b in bases):
        return {}
    return {"__str__": _full_name, "__format__": lambda self, spec: format(_full_name(self), spec), "__repr__": _shown}


def _full_name(member: Any) -> str:
    return f"{type(member).__name__}.{state(member)['name']}"


def _shown(member: Any) -> str:
    return f"<{_full_name(member)}: {_value_of(member)!r}>"


def _member(cls: type, name: str, value: Any) -> Any:
    base = next((b for b in (str, int, float) if issubclass(cls, b)), None)
    made: Any = base.__new__(cls, value) if base else object.__new__(cls)
    state(made).update(name=name, value=value, _name_=name, _value_=value)
    return made


def _value_of(member: Any) -> Any:
    return state(member)["value"]


class Enum(Open, metaclass=EnumType):
    def __hash__(self) -> int:
        return hash(self.__dict__["name"])

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(self, (str, int, float)) and self.__dict__["value"] == other)


class IntEnum(int, Enum):
    __direct__ = False
    _prints_value = True
    __hash__ = int.__hash__


class StrEnum(str, Enum):
    __direct__ = False
    _prints_value = True
    __hash__ = str.__hash__
