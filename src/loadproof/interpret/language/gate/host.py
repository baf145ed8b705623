"""How our own code asks evaluated objects: by names that are written here in full, never by a stranger's text."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.values import Open, Sealed, Value

_EVALUATED: list[CodeType] = []  # the one code object that all evaluated functions share


def know_evaluated(code: CodeType) -> None:
    """Say which code object is that of evaluated functions."""
    _EVALUATED.append(code)


def find(obj: Any, name: str, default: Any = None) -> Any:
    """An attribute by a literal name, as Python finds it; the default where there is none."""
    return getattr(obj, name, default)


def has(obj: Any, name: str) -> bool:
    """Whether there is an attribute of this literal name."""
    return hasattr(obj, name)


def own(cls: type) -> Mapping[str, Any]:
    """What a class itself defines, as it is kept."""
    return cls.__dict__


def annotated(cls: type) -> dict[str, Any]:
    """Annotated names of a class, bases first: name -> (default, annotation, file)."""
    fields: dict[str, Value] = {}
    for c in reversed(cls.__mro__):
        fields.update(c.__dict__.get("__source_class__", {}))
    return fields


def state(obj: Any) -> dict[str, Any]:
    """Where the attributes of an object live. Raises ForbiddenAttribute for what is no evaluated object or is shared."""
    kind = type(obj)
    if not issubclass(kind, Open) or issubclass(kind, Sealed):
        raise ForbiddenAttribute(f"the state of a {kind.__name__}")
    found: dict[str, Any] = object.__getattribute__(obj, "__dict__")
    return found


def is_evaluated(function: Value) -> bool:
    """Whether it is a function that evaluated code defined. Its code object cannot be forged."""
    return type(function) is FunctionType and function.__code__ is _EVALUATED[0]


def function_state(function: Any) -> Mapping[str, Any] | None:
    """The attributes of a function that evaluated code defined, bound or not; None for everything else."""
    function = function.__func__ if type(function) is MethodType else function
    return function.__dict__ if is_evaluated(function) else None


def is_evaluated_class(cls: type) -> bool:
    """Whether a class statement of evaluated code made it."""
    return "__source_class__" in cls.__dict__


def signature_names(function: Value) -> list[str] | None:
    """Names of the parameters of a function or class, bound ones left out; None when they are not known."""
    skipped = 0
    if type(function) is MethodType:
        function, skipped = function.__func__, 1
    elif isinstance(function, type):
        function, skipped = function.__init__, 1  # type: ignore[misc]
    known = function.__dict__.get("__signature_names__") if type(function) is FunctionType else None
    return None if known is None else list(known)[skipped:]
