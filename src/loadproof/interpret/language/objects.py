"""The kinds of values evaluated code may touch by attribute, besides plain data."""

from __future__ import annotations

from typing import Any, NoReturn

from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.values import Open, Sealed, Value


class SourceObject(Open):
    """Root of the classes that evaluated code defines without another base."""

    def __init_subclass__(cls, **_: object) -> None:
        pass


class SimpleNamespace(SourceObject):
    """`types.SimpleNamespace`"""

    def __init__(self, **fields: Value) -> None:
        self.__dict__.update(fields)


NO_DEFAULT: Any = object()


class Field(Sealed):
    """`dataclasses.field()`"""

    __visible__ = True

    def __init__(
        self,
        default: Any = NO_DEFAULT,
        default_factory: Any = None,
        init: Value = True,
        kw_only: Value = False,
        metadata: Any = None,
        **_: object,
    ) -> None:
        self.default, self.default_factory, self.init, self.kw_only = default, default_factory, init, kw_only
        self.metadata = metadata if metadata is not None else {}

    def make(self) -> Any:
        return self.default_factory() if self.default_factory else self.default


class Unknown(Sealed):
    """A value that is not modelled. It may be passed around and called, but it decides nothing.

    Anything that would turn it into plain data (a truth value, a length, an iteration, an index) raises `UnknownUsed`.
    """

    __slots__ = ("_name",)
    _name: str

    def __init__(self, name: str = "?") -> None:
        object.__setattr__(self, "_name", name)

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return Unknown(f"{self._name}.{key}")

    def __setattr__(self, key: str, value: Value) -> None:
        pass

    def __delattr__(self, key: str) -> None:
        pass

    def __call__(self, *_: object, **__: object) -> Value:
        return Unknown(f"{self._name}()")

    def __getitem__(self, key: Value) -> Value:
        return Unknown(f"{self._name}[]")

    def __setitem__(self, key: Value, value: Value) -> None:
        pass

    def _decide(self, *_: object) -> NoReturn:
        raise UnknownUsed(f"the value of {self._name} decides something and is not known")

    __iter__ = __len__ = __bool__ = __contains__ = __int__ = __float__ = __index__ = _decide
    __lt__ = __gt__ = __le__ = __ge__ = _decide

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<unknown {self._name}>"

    __str__ = __format__ = _decide

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        return True if other is self else Unknown(f"{self._name} ==")

    def __ne__(self, other: object) -> Any:
        return False if other is self else Unknown(f"{self._name} !=")

    def __or__(self, other: Value) -> Value:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Value, ...]) -> tuple[Value, ...]:
        return (SourceObject,)


def _absorb(self: Unknown, *_: object) -> Value:
    return Unknown(self._name)


for _name in [
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "rpow",
    "neg",
    "pos",
    "abs",
    "and",
    "rand",
]:
    setattr(Unknown, f"__{_name}__", _absorb)
for _name in ["matmul", "rmatmul", "xor", "invert", "round"]:
    setattr(Unknown, f"__{_name}__", _absorb)


class Foreign(Unknown):
    """A name of a package whose source is not read. What its call makes may be a module with parameters."""

    __slots__ = ()

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return Foreign(f"{self._name}.{key}")

    def __call__(self, *_: object, **__: object) -> Value:
        return Made(f"{self._name}()")

    def __getitem__(self, key: Value) -> Value:
        return Foreign(f"{self._name}[]")


class Outward(Unknown):
    """A name of a module that reads files, texts or the network: what lies there decides whether its call raises."""

    __slots__ = ()

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return Outward(f"{self._name}.{key}")

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise UnknownUsed(f"whether {self._name}() works is not known")


class Made(Unknown):
    """What a call of foreign code returned: a model may not keep it as a part of its own."""

    __slots__ = ()

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return Made(f"{self._name}.{key}")

    def __call__(self, *_: object, **__: object) -> Value:
        return Made(f"{self._name}()")

    def __getitem__(self, key: Value) -> Value:
        return Made(f"{self._name}[]")


class Namespace(Sealed):
    """A module-like object: known members, then `find(name)`, then Unknown. True, unlike nothing known."""

    __slots__ = ("_find", "_members", "_name")
    _members: dict[str, Value]

    def __init__(self, name: str, members: dict[str, Any], find: Any = None) -> None:
        for slot, value in (("_name", name), ("_members", members), ("_find", find)):
            object.__setattr__(self, slot, value)

    def __getattr__(self, key: str) -> Any:
        if key in self._members:
            return self._members[key]
        if key.startswith("__"):
            raise AttributeError(key)
        return self._find(key) if self._find else Unknown(f"{self._name}.{key}")

    def __setattr__(self, key: str, value: Value) -> None:
        """Module attributes set by evaluated code are of no consequence for what a constructor creates."""

    def __mro_entries__(self, bases: tuple[Value, ...]) -> tuple[Value, ...]:
        return (SourceObject,)
