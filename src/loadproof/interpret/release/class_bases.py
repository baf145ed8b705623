"""The bases of a class statement, as classes that evaluated code may extend."""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.counted import BASES
from loadproof.interpret.language.errors import ForbiddenAttribute, UnknownUsed, UnsupportedSyntax, certain
from loadproof.interpret.language.gate import BUILTIN, GuardedType, own
from loadproof.interpret.language.objects import Namespace, SourceObject, Unknown
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.typing_names import Annotation
from loadproof.interpret.language.values import Open, Sealed
from loadproof.interpret.release.class_members import evaluate
from loadproof.interpret.release.definitions import ClassSource
from loadproof.interpret.release.ports import File


class OpaqueBase(Open):
    """Stands for a base class that is not modelled; building an instance is refused."""

    def __init__(self, *_: object, **__: object) -> None:
        raise UnknownUsed(f"a base class of {type(self).__name__} is not modelled")

    def __init_subclass__(cls, **_: object) -> None:
        pass


class NamedTupleBase(SourceObject):
    """`typing.NamedTuple` as a base class."""


def bases_of(file: File, source: ClassSource, env: Scope | None) -> tuple[type, ...]:
    bases: list[Any] = []
    for node in source.bases:
        base = _as_base(evaluate(file, node, env), source.name)
        if base not in bases:
            bases.append(base)
        elif "__source_class__" in own(base):
            raise certain(TypeError(f"duplicate base class {base.__name__}"))
    if len(bases) > 1 and SourceObject in bases:
        bases.remove(SourceObject)
    if not any(issubclass(b, Open) for b in bases):
        bases.append(SourceObject)
    _check_keywords(source)
    return tuple(bases)


def _as_base(base: Any, name: str) -> Any:
    if isinstance(base, GuardedType):
        base = BASES.get(base.real, base.real)
    if base is object:
        return SourceObject
    if base is type:
        raise ForbiddenAttribute(f"metaclass {name}")
    if isinstance(base, Annotation):
        return NamedTupleBase if base._name == "NamedTuple" else SourceObject
    if isinstance(base, (Unknown, Namespace)):
        return type("OpaqueBase", (OpaqueBase,), {})
    if not isinstance(base, type) or issubclass(base, Sealed) or not _may_be_extended(base):
        raise UnsupportedSyntax(f"base class of {name}")
    return base


def _may_be_extended(base: type) -> bool:
    """Classes of ours, counted plain data, exceptions, `property`, and the abstract ones of `collections`."""
    known = (Open, BaseException, int, float, complex, property, *BASES.values())
    return issubclass(base, known) or (base in BUILTIN and base.__module__ == "collections.abc")


def _check_keywords(source: ClassSource) -> None:
    for keyword in source.keywords:
        if keyword.arg == "metaclass" and "ABCMeta" not in ast.unparse(keyword.value):
            raise UnsupportedSyntax(f"metaclass of {source.name}")
