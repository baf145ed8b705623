"""The standard-library names that evaluated code may import: explicit lists, bounded where they could run away."""

# ruff: noqa: ARG005, N807 - the signatures are Python's
from __future__ import annotations

import collections
import collections.abc
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language import surroundings
from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.copying import deep_copy, shallow_copy
from loadproof.interpret.language.counted import counting
from loadproof.interpret.language.enums import AUTO, Enum, IntEnum, StrEnum
from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate import guarded_type
from loadproof.interpret.language.itertools_names import ITERTOOLS
from loadproof.interpret.language.math_names import FUNCTOOLS, MATH, OPERATOR
from loadproof.interpret.language.objects import NO_DEFAULT, Field, Namespace, SimpleNamespace, SourceObject, Unknown
from loadproof.interpret.language.patterns import PATTERNS
from loadproof.interpret.language.typing_names import (
    Annotation,
    as_dict,
    bind_method,
    fields,
    is_dataclass,
    replace,
    signature,
    transparent,
    typing_name,
)
from loadproof.interpret.language.values import Names, Open, Value, items_of


def _named_tuple(name: str, fields: Value, **_: object) -> Value:
    names: list[Any] = fields.replace(",", " ").split() if isinstance(fields, str) else list(items_of(fields))
    if len(names) > 100 or not all(isinstance(n, str) and n.isidentifier() and not n.startswith("_") for n in names):
        raise ForbiddenAttribute(f"namedtuple {name[:40]}")

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__.update(zip(names, args, strict=False))
        self.__dict__.update(kwargs)

    return type(
        "NamedTuple",
        (SourceObject,),
        {
            "__init__": __init__,
            "_fields": tuple(names),
            "__iter__": lambda self: iter([self.__dict__[n] for n in names]),
            "__getitem__": lambda self, i: [self.__dict__[n] for n in names][i],
            "__len__": lambda self: len(names),
        },
    )


_COLLECTIONS: Names = {
    "OrderedDict": guarded_type(collections.OrderedDict, counting(collections.OrderedDict)),
    "defaultdict": guarded_type(collections.defaultdict, counting(collections.defaultdict)),
    "Counter": guarded_type(collections.Counter, counting(collections.Counter)),
    "deque": guarded_type(collections.deque, counting(collections.deque)),
    "UserDict": BUILTINS["dict"],
    "namedtuple": _named_tuple,
}
_ABSTRACT = {n: getattr(collections.abc, n) for n in collections.abc.__all__}
_COLLECTIONS["abc"] = Namespace("collections.abc", _ABSTRACT)


def _missing(name: str) -> Callable[[str], Value]:
    def find(key: str) -> Value:
        raise ForbiddenAttribute(f"{name}.{key}")

    return find


def _module(name: str, members: Names, find: Callable[[str], Value] | None = None) -> Namespace:
    return Namespace(name, members, find or _missing(name))


class Suppress(Open):
    """`contextlib.suppress`"""

    def __init__(self, *kinds: type) -> None:
        self.kinds = kinds

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Value, problem: Value, _: None) -> bool:
        return kind is not None and isinstance(problem, self.kinds)


class NullContext(Open):
    """`contextlib.nullcontext`"""

    def __init__(self, value: Value = None) -> None:
        self.value = value

    def __enter__(self) -> Value:
        return self.value

    def __exit__(self, *_: Value) -> None:
        return None


def _any_context(_: Value) -> Value:
    """`contextlib.contextmanager`: what the function does around the block is not followed."""
    return lambda *_, **__: Unknown("context")


MODULES: Names = {
    "math": _module("math", MATH),
    "copy": _module("copy", {"deepcopy": deep_copy, "copy": shallow_copy}),
    "collections": _module("collections", _COLLECTIONS),
    "collections.abc": _COLLECTIONS["abc"],
    "itertools": _module("itertools", ITERTOOLS),
    "functools": _module("functools", FUNCTOOLS),
    "re": _module("re", PATTERNS),
    "operator": _module("operator", OPERATOR),
    "enum": _module("enum", {"Enum": Enum, "IntEnum": IntEnum, "StrEnum": StrEnum, "auto": lambda: AUTO}),
    "types": _module(
        "types", {"SimpleNamespace": SimpleNamespace, "MethodType": bind_method}, lambda name: Annotation(name)
    ),
    "dataclasses": _module(
        "dataclasses",
        {
            "field": Field,
            "dataclass": transparent,
            "fields": fields,
            "replace": replace,
            "is_dataclass": is_dataclass,
            "asdict": as_dict,
            "MISSING": NO_DEFAULT,
        },
    ),
    "typing": _module("typing", {}, typing_name),
    "typing_extensions": _module("typing_extensions", {}, typing_name),
    "abc": _module("abc", {"ABC": SourceObject, "abstractmethod": transparent, "ABCMeta": Annotation("ABCMeta")}),
    "numbers": _module("numbers", {"Number": (int, float), "Integral": int, "Real": (int, float)}),
    "contextlib": Namespace(
        "contextlib",
        {"contextmanager": _any_context, "nullcontext": NullContext, "suppress": Suppress},
    ),
    "warnings": Namespace("warnings", {"warn": lambda *_, **__: None, "simplefilter": lambda *_, **__: None}),
    "inspect": Namespace("inspect", {"signature": signature, "isclass": lambda x: isinstance(x, type)}),
    "logging": Namespace("logging", {}),
    "argparse": Namespace("argparse", {"Namespace": SimpleNamespace}),
    "__future__": Namespace("__future__", {}),
    **surroundings.MODULES,
}
for _name in (
    "time",
    "random",
    "string",
    "pathlib",
    "io",
    "threading",
):
    MODULES[_name] = Namespace(_name, {})
