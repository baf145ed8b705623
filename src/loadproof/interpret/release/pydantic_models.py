"""A stand-in for `pydantic.BaseModel`, as far as the configurations of a package need it.

Fields are read from the annotations of the class, in order; nested models, enumerations, lists and tables are made of
plain data; validators of the class are called where pydantic 2 calls them. What a field cannot hold is a ValidationError.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import find, read, state, write
from loadproof.interpret.language.objects import NO_DEFAULT, Field, SourceObject
from loadproof.interpret.language.values import Members, Value, function_of, table_of
from loadproof.interpret.release.dataclass_parts import default_of, inherited_fields
from loadproof.interpret.release.lazy_members import LazyMethod
from loadproof.interpret.release.model_values import coerced, dumped, plain_enum

_CONFIG = "model_config"
_GIVEN = "__pydantic_fields_set__"


class ValidationError(ValueError):
    """`pydantic.ValidationError`, whose text is longer."""


class Validators(NamedTuple):
    """Methods of a class: (name, fields, mode) and (name, mode); whether enumerations are kept as their values."""

    fields: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    whole: tuple[tuple[str, str], ...] = ()
    plain_enums: bool = False


def prepare(members: Members, bases: tuple[type, ...], keywords: Iterable[ast.keyword]) -> None:
    """Note the validators of a model class that is being made."""
    if not any(issubclass(base, BaseModel) for base in bases):
        return
    known: Validators = next((one for base in bases if (one := find(base, "__validators__", None))), Validators())
    fields, whole = [*known.fields], [*known.whole]
    for name, method in members.items():
        for kind, names, mode in _stated(method) if isinstance(method, LazyMethod) else ():
            if kind == "field_validator":
                fields.append((name, names, mode))
            else:
                whole.append((name, mode))
            if kind == "field_validator" or mode == "before":
                method.kind = method.kind or "classmethod"  # type: ignore[union-attr]
    stated = any(k.arg == "use_enum_values" and ast.unparse(k.value) == "True" for k in keywords)
    members["__validators__"] = Validators(tuple(fields), tuple(whole), known.plain_enums or stated)


def _stated(method: LazyMethod) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for text in method.source.decorators:
        if not text.startswith(("field_validator(", "model_validator(")):
            continue
        call: Any = ast.parse(text, mode="eval").body
        options = {k.arg: k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)}
        names = tuple(str(a.value) for a in call.args if isinstance(a, ast.Constant))
        yield text.partition("(")[0], names, str(options.get("mode", "after"))


class BaseModel(SourceObject):
    """The members that evaluated code uses; everything else of pydantic is missing."""

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were given, and those that were assigned to since."""
        found: set[str] = self.__dict__[_GIVEN]
        return found

    def __setattr__(self, name: str, value: Value) -> None:
        self.__dict__[name] = value
        if name in inherited_fields(type(self)):
            self.model_fields_set.add(name)

    def __init__(self, **values: Any) -> None:
        cls: Any = type(self)
        rules: Validators = find(cls, "__validators__", Validators())
        for name, mode in rules.whole:
            if mode == "before":
                values = table_of(function_of(read(cls, name))(values))
        fields = {name: one for name, one in inherited_fields(cls).items() if name != _CONFIG}
        strange = values.keys() - fields.keys()
        if strange and (find(cls, "model_config", None) or {}).get("extra") == "forbid":
            raise _error(cls, min(strange), "Extra inputs are not permitted")
        self.__dict__[_GIVEN] = {name for name in values if name in fields}
        for name, (default, annotation, file) in fields.items():
            given = values.get(name, NO_DEFAULT)
            self.__dict__[name] = _field(self, name, given, default, (annotation, file), rules)
        for name, mode in rules.whole:
            if mode == "after":
                function_of(read(self, name))()
        if find(cls, "model_post_init", None) is not None:
            function_of(read(self, "model_post_init"))(None)

    @classmethod
    def model_validate(cls, values: Any) -> Any:
        return values if isinstance(values, cls) else cls(**dict(values))

    def model_dump(self, **_: object) -> dict[str, Value]:
        return {name: dumped(self.__dict__[name]) for name in inherited_fields(type(self)) if name in self.__dict__}

    dict = model_dump

    def model_copy(self, *, update: Any = None, **_: object) -> Any:
        made: Any = object.__new__(type(self))
        state(made).update(self.__dict__)
        for name, value in (update or {}).items():
            write(made, name, value)
        return made

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        names = inherited_fields(type(self)).keys() - {_CONFIG}
        return all(self.__dict__.get(name) == state(other).get(name) for name in names)

    __hash__ = None  # type: ignore[assignment]


def _field(model: BaseModel, name: str, given: Any, default: Value, stated: Any, rules: Validators) -> Any:
    """The value of one field. Defaults are not validated."""
    cls: Any = type(model)
    if given is NO_DEFAULT:
        value = default_of(default)
        if value is NO_DEFAULT:
            raise _error(cls, name, "Field required")
        return value
    asked = [(method, mode) for method, names, mode in rules.fields if name in names]
    try:
        for method, mode in asked:
            given = function_of(read(cls, method))(given) if mode == "before" else given
        value = coerced(given, *stated, model=BaseModel)
        for method, mode in asked:
            value = function_of(read(cls, method))(value) if mode != "before" else value
    except (ValueError, TypeError, AssertionError) as problem:
        if isinstance(problem, ValidationError):
            raise
        raise _error(cls, name, str(problem)) from None
    return plain_enum(value) if rules.plain_enums else value


def _error(cls: type, name: str, why: str) -> Exception:
    return certain(ValidationError(f"1 validation error for {cls.__name__}\n{name}\n  {why}"))


def _nothing(*_: Value, **__: Value) -> Value:
    return lambda function: function


def _config(**options: Value) -> Value:
    return dict(options)


NAMES: dict[str, Any] = {
    "BaseModel": BaseModel,
    "ConfigDict": _config,
    "Field": lambda default=NO_DEFAULT, *_, default_factory=None, **__: Field(default, default_factory),
    "ValidationError": ValidationError,
    **dict.fromkeys(("field_validator", "model_validator", "field_serializer", "model_serializer"), _nothing),
}
