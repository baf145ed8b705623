"""What `@dataclass` does with a class statement: its fields, their defaults, the constructor."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.call_errors import missing
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate import annotated, has, write
from loadproof.interpret.language.objects import NO_DEFAULT, Field
from loadproof.interpret.language.values import Members, Value
from loadproof.interpret.release.class_bases import NamedTupleBase
from loadproof.interpret.release.definitions import ClassSource
from loadproof.interpret.release.lazy_members import Broken
from loadproof.interpret.release.ports import Fields


def is_dataclass(source: ClassSource, bases: tuple[type, ...]) -> bool:
    return any("dataclass" in d for d in source.decorators) or NamedTupleBase in bases


def drop_defaults(members: Members, fields: Fields, decorators: list[str]) -> None:
    """A dataclass keeps no class attribute for a field without default, nor for any field when it has slots."""
    slots = any("slots" in d and "dataclass" in d for d in decorators)
    for name, (default, _, _) in fields.items():
        if slots or (isinstance(default, Field) and default.default is NO_DEFAULT):
            members.pop(name, None)
        elif isinstance(default, Field):
            members[name] = default.default


def inherited_fields(cls: type) -> Fields:
    """Annotated fields, bases first: name -> (default, annotation, file)."""
    return annotated(cls)


def default_of(value: Value) -> Value:
    """What a field holds when nothing is given. Raises NotUnderstood where the class attribute could not be evaluated."""
    if isinstance(value, Broken):
        raise NotUnderstood(value.problem)
    return value.make() if isinstance(value, Field) else value


def dataclass_init(self: Any, *args: Value, **kwargs: Value) -> None:
    fields = inherited_fields(type(self))
    inputs = [n for n, (d, _, _) in fields.items() if not isinstance(d, Field) or (d.init and not d.kw_only)]
    if len(args) > len(inputs) or not kwargs.keys() <= fields.keys():
        raise TypeError(f"{type(self).__name__}.__init__() got unexpected arguments")
    kwargs.update(zip(inputs, args, strict=False))
    for name, (default, _, _) in fields.items():
        if isinstance(default, Field) and not default.init and default_of(default) is NO_DEFAULT:
            continue
        value = default_of(kwargs.get(name, default))
        if value is NO_DEFAULT:
            raise missing(f"{type(self).__name__}.__init__", [name])
        write(self, name, value)
    if has(self, "__post_init__"):
        self.__post_init__()
