"""The inert values that the machine builds beside those of Python."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from msgspec import Struct

Value = object  # None, bool, int, float, complex, str, bytes, tuple, list, dict, or one of those below


class Global(Struct, frozen=True):
    """A function or class that the file names. Nothing is imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Called(Struct, eq=False):
    """What a call of an unknown function would give: the call itself, the state put on it, the items put in it."""

    function: Value
    arguments: tuple[Value, ...]
    state: Value = None
    items: list[tuple[Value, Value]] = []

    @property
    def name(self) -> str:
        """The bare name of the class or function; empty where it is the result of another call."""
        return self.function.name if isinstance(self.function, Global) else ""

    @property
    def word(self) -> str:
        """The full name, for a message. Never the arguments: a doubled memo makes their text endless."""
        return str(self.function) if isinstance(self.function, Global) else "the result of another call"


class Mapping(dict[Value, Value]):
    """An OrderedDict, Counter or defaultdict; `state` is what was put on it as attributes (``_metadata``)."""

    __slots__ = ("state",)

    state: Value


class Unhashed(Struct, eq=False):
    """A key of a dict that is not compared by value: a nested tuple takes exponential time to hash."""

    value: Value


class Members(list[Value]):
    """A set; its members are never hashed."""

    __slots__ = ()


@runtime_checkable
class Stateful(Protocol):
    """A value of ours that takes the state which a file puts on it."""

    def set_state(self, state: Value) -> None:
        """Take it. Raises ValueError, TypeError or LookupError where it is none that a saver writes."""
        ...
