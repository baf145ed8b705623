"""Modules of installed packages as remote code sees them: an attribute that no text bears out is not taken to exist.

A name counts that a stand-in has, or that the package's text mentions. For every other one Python may raise
AttributeError, so nothing is said of a model whose code reads it.
"""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import LimitReached, NotUnderstood, UnknownName, certain
from loadproof.interpret.language.gate import read
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.release import imports
from loadproof.interpret.release.ports import World


def seen(world: World, name: str, value: Value) -> Value:
    """The value itself, or the view of it where it is a module of which it is known what it has."""
    top = name.split(".")[0]
    if top == "transformers":
        return _of_release(world, name, value) if type(value) is Namespace else value
    if top not in world.machine.names.read or not _is_module(world, name, value):
        return value
    if name not in world.memo.views:
        world.memo.views[name] = _view(world, name, value)
    return world.memo.views[name]


def _is_module(world: World, name: str, value: Value) -> bool:
    return type(value) is Namespace or (name in world.machine.names.modules and issubclass(type(value), Unknown))


def _view(world: World, name: str, value: Value) -> Namespace:
    members = value._members if type(value) is Namespace else {}

    def find(key: str) -> Value:
        whole = f"{name}.{key}"
        if key not in members and whole not in world.machine.names.borne:
            raise UnknownName(f"the text of the installed {name.split('.')[0]} has no {whole}")
        return seen(world, whole, read(value, key))

    return Namespace(name, {k: v for k, v in members.items() if k.startswith("__")}, find)


# ---------------------------------------------------------------- the release
class Unread(Unknown):
    """A name of the release whose value is not followed. Its import works; using it is an error."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NotUnderstood(f"what {self._name} is, is not known")

    __call__ = __mro_entries__ = __bool__ = __iter__ = __getitem__ = _refuse


def released(world: World, module: str, name: str) -> Value:
    """A name of the release, which imports without fail whatever the evaluation of its text comes to."""
    try:
        return seen(world, f"{module}.{name}", world.from_release(module, name))
    except LimitReached:
        raise
    except Exception:
        return Unread(f"{module}.{name}")


def _of_release(world: World, name: str, value: Namespace) -> Namespace:
    """A module of the release: its names are those that `from module import name` finds."""

    def find(key: str) -> Value:
        try:
            imports.check_name(world, name, key)
        except ImportError:
            raise certain(AttributeError(f"module {name} has no attribute {key}")) from None
        return released(world, name, key)

    return Namespace(name, {k: v for k, v in value._members.items() if k.startswith("__")}, find)
