"""What `@dataclass` does with a class statement: its fields, their defaults, the constructor."""

# ruff: noqa: N807 - the signatures are Python's

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.call_errors import missing, too_many
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate import annotated, has, write
from loadproof.interpret.language.objects import NO_DEFAULT, Field
from loadproof.interpret.language.values import Class, Function, Members, Names, Value
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


def add_init(cls: Class, members: Members) -> None:
    """The generated constructor, unless the class statement has one of its own."""
    if "__init__" not in members:
        cls.__init__ = _init_of(cls)
    cls.__dataclass_fields__ = True


def _init_of(cls: Class) -> Function:
    inputs = [name for name, (default, _, _) in inherited_fields(cls).items() if _is_input(default)]

    def __init__(self: Any, *args: Value, **kwargs: Value) -> None:
        fields = inherited_fields(cls)
        given = _given(cls, fields, args, kwargs)
        values = {name: given[name] if name in given else default_of(d) for name, (d, _, _) in fields.items()}
        lacking = [name for name in inputs if values[name] is NO_DEFAULT]
        if lacking:
            raise missing(f"{cls.__name__}.__init__", lacking)
        for name, value in values.items():
            if value is not NO_DEFAULT:
                write(self, name, value)
        if has(self, "__post_init__"):
            self.__post_init__()

    __init__.__signature_names__ = ["self", *inputs]  # type: ignore[attr-defined]
    return __init__


def _is_input(default: Value) -> bool:
    return not isinstance(default, Field) or bool(default.init)


def _given(cls: Class, fields: Fields, args: tuple[Value, ...], kwargs: Names) -> Names:
    """The arguments by name. Raises the TypeError of the generated constructor."""
    places = [n for n, (d, _, _) in fields.items() if _is_input(d) and not (isinstance(d, Field) and d.kw_only)]
    name = f"{cls.__name__}.__init__"
    if len(args) > len(places):
        optional = sum(default_of(fields[place][0]) is not NO_DEFAULT for place in places)
        raise too_many(name, len(places) + 1, optional, len(args) + 1)
    for word in kwargs:
        if word not in fields or not _is_input(fields[word][0]):
            raise TypeError(f"{name}() got an unexpected keyword argument '{word}'")
        if word in places[: len(args)]:
            raise TypeError(f"{name}() got multiple values for argument '{word}'")
    return {**kwargs, **dict(zip(places, args, strict=False))}
