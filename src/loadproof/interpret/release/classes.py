"""Class statements turned into classes whose methods are built at first use."""

from __future__ import annotations

import types

from loadproof.interpret.language.errors import NotUnderstood, certain
from loadproof.interpret.language.gate import DATA, own
from loadproof.interpret.language.objects import SourceObject
from loadproof.interpret.language.scope import CLASS, Scope
from loadproof.interpret.language.values import Class, Members
from loadproof.interpret.release import experts, pydantic_models
from loadproof.interpret.release.class_bases import OpaqueBase, bases_of
from loadproof.interpret.release.dataclass_parts import add_init, drop_defaults, is_dataclass
from loadproof.interpret.release.definitions import ClassSource
from loadproof.interpret.release.ports import Fields, File

# Not part of an evaluated class: attributes live in __dict__, where copies find them; the others would be called by
# Python itself, outside of an evaluation (collection of garbage, pickling, the rendering of a report).
_NEVER_RUN = ("__slots__", "__del__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__fspath__")


def make_class(file: File, source: ClassSource, env: Scope | None = None) -> Class:
    """The class of a class statement; `env` is the enclosing function's scope, if any."""
    bases = bases_of(file, source, env)
    file.world.budget.charge_class(bases)
    fields: Fields = {}
    members: Members = {"__module__": file.name, "__qualname__": source.name, "__source_class__": fields}
    members["__direct__"] = not any(issubclass(base, (*DATA, BaseException)) for base in bases)
    cells = file.fill_class(source, members, fields, env)
    experts.decorate(members, source.decorators)
    pydantic_models.prepare(members, bases, source.keywords)
    dataclass = is_dataclass(source, bases)
    if dataclass:
        drop_defaults(members, fields, source.decorators)
    for name in _NEVER_RUN:
        members.pop(name, None)
    metaclass = next((type(b) for b in reversed(bases) if type(b) is not type), type)
    cls: Class = _new_class(source.name, bases, metaclass, members)
    if dataclass and not file.world.is_config(cls):
        add_init(cls, members)
    for cell in cells:
        cell[CLASS] = cls
    file.world.finish_class(cls, members, source.decorators)
    return cls


_DATA = (bytes, complex, dict, float, frozenset, int, list, set, str, tuple)  # no two can be bases of one class


def _new_class(name: str, bases: tuple[type, ...], metaclass: type, members: Members) -> Class:
    try:
        return types.new_class(
            name, bases, {} if metaclass is type else {"metaclass": metaclass}, lambda space: space.update(members)
        )
    except TypeError as problem:
        conflict = str(problem).startswith("multiple bases have") and sum(issubclass(b, _DATA) for b in bases) > 1
        if conflict or (str(problem).startswith("Cannot create a consistent") and all(map(_is_real, bases))):
            certain(problem)
        raise
    except RuntimeError as problem:  # so Python wraps what a `__set_name__` raises, and it could be caught
        if isinstance(problem.__cause__, NotUnderstood):
            raise problem.__cause__ from None
        raise


def _is_real(base: type) -> bool:
    """Whether it is a builtin type or an evaluated class, all of whose ancestors are known."""
    if base.__module__ == "builtins" or base is SourceObject:
        return True
    return "__source_class__" in own(base) and not any(issubclass(c, OpaqueBase) for c in base.__mro__)
