"""Setting and deleting attributes: on objects of ours that are not shared, on classes and functions that evaluated code
defined."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.host import is_evaluated, is_evaluated_class
from loadproof.interpret.language.gate.names import WRITABLE
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.values import Open, Sealed


def write(obj: Any, name: str, value: Any) -> None:
    """`obj.name = value` for evaluated code; on modules and unknown values it is of no consequence."""
    if issubclass(type(obj), (Namespace, Unknown)):
        return
    check_write(obj, name)
    setattr(obj, name, value)


def delete(obj: Any, name: str) -> None:
    """`del obj.name` for evaluated code."""
    if issubclass(type(obj), (Namespace, Unknown)):
        return
    check_write(obj, name)
    delattr(obj, name)


def check_write(obj: Any, name: Any) -> None:
    """Refuse names that Python gives a meaning of its own, and receivers that are not the writer's."""
    if type(name) is not str or (name.startswith("__") and name.endswith("__") and name not in WRITABLE):
        raise ForbiddenAttribute(f"setting {name if type(name) is str else 'a name that is no plain text'}")
    kind = type(obj)
    if issubclass(kind, type):
        if not is_evaluated_class(obj):
            raise ForbiddenAttribute(f"setting {name} of {obj.__name__}")
    elif (not issubclass(kind, Open) or issubclass(kind, Sealed)) and not is_evaluated(obj):
        raise ForbiddenAttribute(f"setting {name} of a {kind.__name__}")
