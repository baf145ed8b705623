"""The standard-library names that evaluated code may import: explicit lists, bounded where they could run away.

`typing`, `dataclasses`, `inspect`, `enum` and `types` are stand-ins: the real ones evaluate text or reach frames.
"""

# ruff: noqa: ARG005, N807 - the signatures are Python's
from __future__ import annotations

import collections
import collections.abc
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from loadproof.interpret.language import limits, operators, surroundings
from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.copying import deep_copy, shallow_copy
from loadproof.interpret.language.counted import counting
from loadproof.interpret.language.enums import AUTO, Enum, IntEnum, StrEnum
from loadproof.interpret.language.errors import ForbiddenAttribute, LimitReached, UnknownUsed
from loadproof.interpret.language.gate import fields_of, find, guarded_type, signature_names, write
from loadproof.interpret.language.objects import NO_DEFAULT, Field, Namespace, SimpleNamespace, SourceObject, Unknown
from loadproof.interpret.language.patterns import PATTERNS
from loadproof.interpret.language.values import Open, Sealed

_MATH = (
    "sqrt log log2 log10 log1p exp ceil floor trunc pi e inf nan tau sin cos tan tanh atan atan2 asin acos sinh "
    "cosh pow prod "
    "gcd lcm isqrt fabs fmod isclose isfinite isinf isnan copysign hypot erf erfc radians degrees dist fsum expm1 "
    "modf frexp"
)


# ---------------------------------------------------------------- itertools, counted
def _counted(items: Iterable[Any]) -> Iterator[Any]:
    budget = limits.current()
    for item in items:
        budget.step()
        yield item


def _counting(function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    return lambda *args, **kwargs: _counted(function(*args, **kwargs))


def _product(*parts: Iterable[Any], repeat: int = 1) -> Iterator[Any]:
    limits.current().charge(len(parts) * max(0, repeat), "itertools.product")
    pools = [list(p) for p in parts] * repeat
    total = 1
    for pool in pools:
        total *= len(pool)
    limits.current().charge(total, "itertools.product")
    return _counted(itertools.product(*pools))


_ITERTOOLS: dict[str, Any] = {
    name: _counting(getattr(itertools, name))
    for name in [
        "accumulate",
        "count",
        "cycle",
        "islice",
        "repeat",
        "starmap",
        "takewhile",
        "dropwhile",
        "zip_longest",
        "pairwise",
        "compress",
        "filterfalse",
    ]
}
_ITERTOOLS.update(
    product=_product,
    accumulate=lambda items, function=operators.add, **start: _counted(itertools.accumulate(items, function, **start)),
    groupby=lambda items, key=None: ((k, list(g)) for k, g in itertools.groupby(_counted(items), key)),
    combinations=_counting(itertools.combinations),
)


class _ChainNamespace(Namespace):
    __slots__ = ()

    def __call__(self, *parts: Iterable[Any]) -> Iterator[Any]:
        return _counted(itertools.chain(*parts))


_ITERTOOLS["chain"] = _ChainNamespace("itertools.chain", {"from_iterable": _counting(itertools.chain.from_iterable)})


# ---------------------------------------------------------------- functools, operator
def _reduce(function: Any, items: Iterable[Any], *start: Any) -> Any:
    return functools.reduce(function, _counted(items), *start)


def _transparent(*args: Any, **_: object) -> Any:
    """A decorator, with or without arguments, that leaves its function as it is."""
    if len(args) == 1 and callable(args[0]) and not isinstance(args[0], Unknown):
        return args[0]
    return lambda function: function


def _item_getter(*keys: Any) -> Callable[[Any], Any]:
    return lambda value: value[keys[0]] if len(keys) == 1 else tuple(value[key] for key in keys)


_FUNCTOOLS = {
    "partial": functools.partial,
    "reduce": _reduce,
    "wraps": lambda *_, **__: _transparent,
    "lru_cache": _transparent,
    "cache": _transparent,
    "cached_property": property,
}
_OPERATOR: dict[str, Any] = {
    n: getattr(operator, n) for n in ["sub", "truediv", "floordiv", "neg", "eq", "ne", "lt", "le", "gt", "ge", "not_"]
}
_OPERATOR.update(itemgetter=_item_getter)
_OPERATOR.update(add=operators.add, __add__=operators.add, mul=operators.multiply, mod=operators.remainder)


# ---------------------------------------------------------------- math, with bounds
def _factorial(n: int) -> int:
    if n > 500:
        raise LimitReached(f"factorial of {n}")
    return math.factorial(n)


def _comb(n: int, k: int) -> int:
    if n > 2_000:
        raise LimitReached(f"comb of {n}")
    return math.comb(n, k)


def _prod(items: Iterable[Any], start: Any = 1) -> Any:
    for item in items:
        start = operators.multiply(start, item)
    return start


MATH: dict[str, Any] = {name: getattr(math, name) for name in _MATH.split()}
MATH.update(factorial=_factorial, comb=_comb, prod=_prod)


# ---------------------------------------------------------------- dataclasses, typing, types, inspect
class Annotation(Sealed):
    """Anything from `typing`: it can be subscripted and combined, and means nothing here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        raise UnknownUsed(f"{key} of the annotation {self._name}")

    def __getitem__(self, _: Any) -> Any:
        return self

    __iter__ = None  # or a loop over an annotation would be one over its items 0, 1, 2, ... without end

    def __call__(self, *args: Any, **_: object) -> Any:
        return args[-1] if self._name == "cast" and args else self

    def __or__(self, _: Any) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, _: Any) -> tuple[Any, ...]:
        return (SourceObject,)


def _typing(name: str) -> Any:
    if name == "TYPE_CHECKING":
        return False
    if name in ("overload", "final", "runtime_checkable", "no_type_check", "dataclass_transform"):
        return _transparent
    return Annotation(name)


def _fields(cls: Any) -> tuple[Any, ...]:
    """`dataclasses.fields`: names and defaults."""
    kind = cls if isinstance(cls, type) else type(cls)
    if find(kind, "__dataclass_fields__") is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(fields_of(kind).values())


def _is_dataclass(value: Any) -> bool:
    return find(value if isinstance(value, type) else type(value), "__dataclass_fields__") is not None


def _replace(obj: Any, **changes: Any) -> Any:
    if isinstance(obj, type) or not _is_dataclass(obj):
        raise TypeError("replace() should be called on dataclass instances")
    made = shallow_copy(obj)
    for name, value in changes.items():
        write(made, name, value)
    return made


# ---------------------------------------------------------------- inspect
def _signature(function: Any) -> Any:
    """`inspect.signature` of an evaluated function or class: parameter names and whether they have defaults."""
    names = signature_names(function)
    if names is None:
        return Unknown("inspect.signature()")
    return SimpleNamespace(parameters={n: SimpleNamespace(name=n, default=Unknown("default")) for n in names})


def _bind_method(function: Any, owner: Any) -> Any:
    return functools.partial(function, owner)


def _named_tuple(name: str, fields: Any, **_: object) -> Any:
    names = fields.replace(",", " ").split() if isinstance(fields, str) else list(fields)
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


_COLLECTIONS: dict[str, Any] = {
    "OrderedDict": guarded_type(collections.OrderedDict, counting(collections.OrderedDict)),
    "defaultdict": guarded_type(collections.defaultdict, counting(collections.defaultdict)),
    "Counter": guarded_type(collections.Counter, counting(collections.Counter)),
    "deque": guarded_type(collections.deque, counting(collections.deque)),
    "UserDict": BUILTINS["dict"],
    "namedtuple": _named_tuple,
}
_ABSTRACT = {n: getattr(collections.abc, n) for n in collections.abc.__all__}
_COLLECTIONS["abc"] = Namespace("collections.abc", _ABSTRACT)


def _missing(name: str) -> Callable[[str], Any]:
    def find(key: str) -> Any:
        raise ForbiddenAttribute(f"{name}.{key}")

    return find


def _module(name: str, members: dict[str, Any], find: Any = None) -> Namespace:
    return Namespace(name, members, find or _missing(name))


class Suppress(Open):
    """`contextlib.suppress`"""

    def __init__(self, *kinds: Any) -> None:
        self.kinds = kinds

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: Any, _: Any) -> bool:
        return kind is not None and isinstance(problem, self.kinds)


def _any_context(_: Any) -> Any:
    """`contextlib.contextmanager`: what the function does around the block is not followed."""
    return lambda *_, **__: Unknown("context")


MODULES: dict[str, Any] = {
    "math": _module("math", MATH),
    "copy": _module("copy", {"deepcopy": deep_copy, "copy": shallow_copy}),
    "collections": _module("collections", _COLLECTIONS),
    "collections.abc": _COLLECTIONS["abc"],
    "itertools": _module("itertools", _ITERTOOLS),
    "functools": _module("functools", _FUNCTOOLS),
    "re": _module("re", PATTERNS),
    "operator": _module("operator", _OPERATOR),
    "enum": _module("enum", {"Enum": Enum, "IntEnum": IntEnum, "StrEnum": StrEnum, "auto": lambda: AUTO}),
    "types": _module(
        "types", {"SimpleNamespace": SimpleNamespace, "MethodType": _bind_method}, lambda name: Annotation(name)
    ),
    "dataclasses": _module(
        "dataclasses",
        {
            "field": Field,
            "dataclass": _transparent,
            "fields": _fields,
            "replace": _replace,
            "is_dataclass": _is_dataclass,
            "MISSING": NO_DEFAULT,
        },
    ),
    "typing": _module("typing", {}, _typing),
    "typing_extensions": _module("typing_extensions", {}, _typing),
    "abc": _module("abc", {"ABC": SourceObject, "abstractmethod": _transparent, "ABCMeta": Annotation("ABCMeta")}),
    "numbers": _module("numbers", {"Number": (int, float), "Integral": int, "Real": (int, float)}),
    "contextlib": Namespace(
        "contextlib",
        {"contextmanager": _any_context, "nullcontext": lambda *_: Unknown("torch.nullcontext"), "suppress": Suppress},
    ),
    "warnings": Namespace("warnings", {"warn": lambda *_, **__: None, "simplefilter": lambda *_, **__: None}),
    "inspect": Namespace("inspect", {"signature": _signature, "isclass": lambda x: isinstance(x, type)}),
    "logging": Namespace("logging", {}),
    "argparse": Namespace("argparse", {"Namespace": SimpleNamespace}),
    "__future__": Namespace("__future__", {}),
    **surroundings.MODULES,
}
for _name in (
    "json",
    "time",
    "random",
    "string",
    "pathlib",
    "shutil",
    "tempfile",
    "io",
    "threading",
):
    MODULES[_name] = Namespace(_name, {})
