"""Members of an evaluated class that are built when they are first used."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate import state
from loadproof.interpret.language.grammar import method
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Function, Value
from loadproof.interpret.release.definitions import FunctionSource
from loadproof.interpret.release.ports import File


class LazyMethod:
    """Descriptor that builds the function at first access and then replaces itself in the class."""

    def __init__(self, source: FunctionSource, file: File, kind: str | None) -> None:
        self.source, self.file, self.kind = source, file, kind

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, obj: Value, cls: type) -> Value:
        function: Any = method(self.source.node(), self.file, self.owner)
        if self.kind is not None:
            function = {"staticmethod": staticmethod, "classmethod": classmethod}[self.kind](function)
        if self.name == "__getattribute__":
            function = past_dunders(function)
        function = self._finished(function)
        type.__setattr__(self.owner, self.name, function)
        made: Value = function.__get__(obj, cls)
        return made

    def _finished(self, function: Any) -> Any:
        return function


class LazyInit(LazyMethod):
    """A constructor after which the object holds what a decorator of its class states, and its first argument."""

    def __init__(self, known: LazyMethod, first: str, stated: dict[str, Value]) -> None:
        super().__init__(known.source, known.file, known.kind)
        self.first, self.stated = first, stated

    def _finished(self, function: Function) -> Function:
        def constructed(obj: Any, first: Value, *args: Value, **more: Value) -> None:
            function(obj, first, *args, **more)
            state(obj).update({self.first: first, **self.stated})

        return constructed


def past_dunders(function: Function) -> Function:
    """An evaluated `__getattribute__` without the dunders: isinstance() of our own code asks for `__class__`."""

    def getattribute(self: Value, name: str) -> Value:
        return object.__getattribute__(self, name) if name.startswith("__") else function(self, name)

    return getattribute


class LazyProperty(property):
    def __init__(
        self, getter: FunctionSource, file: File, setter: FunctionSource | None = None, cached: bool = False
    ) -> None:
        self.getter_source, self.setter_source, self.file, self.cached = getter, setter, file, cached
        self.built: dict[str, Function] = {}

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def _function(self, which: str, source: FunctionSource) -> Function:
        if which not in self.built:
            self.built[which] = method(source.node(), self.file, self.owner)
        return self.built[which]

    def __get__(self, obj: Value, cls: type | None = None) -> Any:
        if obj is None:
            return self
        if self.cached and self.name in state(obj):
            return state(obj)[self.name]
        value = self._function("get", self.getter_source)(obj)
        if self.cached:
            state(obj)[self.name] = value
        return value

    def __set__(self, obj: Value, value: Value) -> None:
        if self.cached:
            state(obj)[self.name] = value
        elif self.setter_source is None:
            raise AttributeError(f"property '{self.name}' of '{type(obj).__name__}' object has no setter")
        else:
            self._function("set", self.setter_source)(obj, value)


class LazyClassProperty:
    def __init__(self, source: FunctionSource, file: File) -> None:
        self.source, self.file = source, file

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __get__(self, obj: Value, cls: type) -> Value:
        return method(self.source.node(), self.file, self.owner)(cls)


class Broken:
    """A class attribute whose value could not be evaluated: using it is an error, having it is none."""

    def __init__(self, problem: str) -> None:
        self.problem = problem

    def __get__(self, obj: Value, cls: type) -> Value:
        raise NotUnderstood(self.problem)


def plain_field(default: Value = None, **_: object) -> Value:
    """A validated dataclass field, seen as its default."""
    return default


def any_context(*_: object, **__: object) -> Value:
    return Unknown("context")
