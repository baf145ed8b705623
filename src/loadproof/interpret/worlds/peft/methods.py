"""peft's tables of methods. The registration of a method's package is evaluated when the method is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from loadproof.interpret.language.gate import state
from loadproof.interpret.language.values import Names, Open, Value
from loadproof.interpret.release.definitions import parse
from loadproof.interpret.release.ports import File, World

_REGISTER = "register_peft_method"
TABLES = {"PEFT_TYPE_TO_CONFIG_MAPPING": "config_cls", "PEFT_TYPE_TO_TUNER_MAPPING": "model_cls"}
PREFIXES = "PEFT_TYPE_TO_PREFIX_MAPPING"


class Registration(NamedTuple):
    """`register_peft_method(name=..., ...)` in the `__init__` of a package, and the `if` around it."""

    module: str
    words: dict[str, ast.expr]
    test: ast.expr | None


class Methods:
    """What a release of peft registers, by the upper-case name of the method."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[str, Names] = {}

    @cached_property
    def found(self) -> dict[str, Registration]:
        packages = self.world.files.list("peft/tuners")
        names = (name for name, kind in packages.items() if kind == "folder")
        registrations = (one for name in names for one in _registrations(self.world, f"peft.tuners.{name}"))
        return {
            str(ast.literal_eval(one.words["name"])).upper(): one for one in registrations if self._is_in_force(one)
        }

    def _is_in_force(self, found: Registration) -> bool:
        return found.test is None or bool(self._file(found).evaluate(found.test))

    def _file(self, found: Registration) -> File:
        file = self.world.file(found.module)
        assert file is not None
        return file

    def registered(self, name: str) -> Names:
        """The arguments of the registration, evaluated. Raises KeyError for an unknown method."""
        if name not in self._known:
            found = self.found[name]
            file = self._file(found)
            self._known[name] = {word: file.evaluate(node) for word, node in found.words.items()}
        return self._known[name]

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The part of a parameter's name by which a method knows its own."""
        return {name: _prefix(name, found.words.get("prefix")) for name, found in self.found.items()}


class Table(Open):
    """One of `TABLES`, as evaluated code sees it."""

    def __init__(self, methods: Methods, word: str) -> None:
        self._methods, self._word = methods, word

    def __getitem__(self, key: Value) -> Value:
        name = _plain(key)
        if name not in self._methods.found:
            raise KeyError(name)
        return self._methods.registered(name)[self._word]

    def __contains__(self, key: object) -> bool:
        return _plain(key) in self._methods.found

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods.found)

    def get(self, key: Value, default: Value = None) -> Value:
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self) -> Value:
        return list(self._methods.found)

    def values(self) -> Value:
        return [self[name] for name in self._methods.found]

    def items(self) -> Value:
        return [(name, self[name]) for name in self._methods.found]


def _plain(key: Any) -> str:
    """The text of a key that may be a member of an enumeration."""
    value = state(key).get("value", key) if isinstance(key, Open) else key
    return str.__str__(value) if isinstance(value, str) else str(value)


def _prefix(name: str, node: ast.expr | None) -> str:
    given = ast.literal_eval(node) if node is not None else None
    return str(given) if given else name.lower() + "_"


def _registrations(world: World, module: str) -> Iterator[Registration]:
    path = world.path(module)
    text = world.text(path) if path is not None else ""
    if _REGISTER not in text:
        return
    for node in parse(text):
        if isinstance(node, ast.If):
            yield from (one._replace(test=node.test) for one in _calls(module, node.body))
        else:
            yield from _calls(module, [node])


def _calls(module: str, body: list[ast.stmt]) -> Iterator[Registration]:
    for node in body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) == _REGISTER:
            yield Registration(module, {k.arg: k.value for k in call.keywords if k.arg}, None)
