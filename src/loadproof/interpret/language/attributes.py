"""The only way from evaluated code to an attribute of anything.

Objects of our own kinds (`Open`) show their public names and a few harmless dunders. Plain data (str, list, dict, ...)
shows the methods of a table, those that could blow up or walk attributes in guarded form. Everything else - functions,
generators, code, frames, modules, host classes - shows nothing.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from functools import partial
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MappingProxyType, MethodType
from typing import Any

from loadproof.interpret.language import limits, text
from loadproof.interpret.language.counted import BASES
from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.lazy_dict import LazyDict
from loadproof.interpret.language.lazy_list import LazyList
from loadproof.interpret.language.long_list import LongList
from loadproof.interpret.language.objects import Namespace, Open, Sealed, Unknown

READABLE_DUNDERS = frozenset(
    [
        "__name__",
        "__qualname__",
        "__module__",
        "__doc__",
        "__class__",
        "__dict__",
        "__mro__",
        "__bases__",
        "__annotations__",
        "__version__",
        "__init__",
        "__post_init__",
        "__new__",
        "__len__",
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__contains__",
        "__iter__",
        "__setattr__",
        "__getattribute__",
        "__delattr__",
        "__getattr__",
        "__eq__",
        "__ne__",
        "__hash__",
        "__repr__",
        "__str__",
        "__call__",
        "__enter__",
        "__exit__",
        "__init_subclass__",
        "__missing__",
        "__set__",
        "__get__",
        "__or__",
        "__and__",
        "__dataclass_fields__",
    ]
)
_OF_CLASSES = frozenset(["__name__", "__qualname__", "__module__", "__doc__", "__init__", "__new__", "__setattr__"])
_GATED = frozenset(["__getattribute__", "__setattr__", "__delattr__"])  # would lead past this module
_NOT_OF_SHARED = frozenset(["__dict__", "__init__", "__new__"])  # would change what all evaluations share
_OF_FUNCTIONS = frozenset(["__name__", "__qualname__", "__module__", "__doc__"])
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, BuiltinMethodType, partial)
_MISSING = object()


def _copy(items: Any) -> Any:
    limits.current().charge(len(items), "copy")
    return items.copy()


def _extend(items: list[Any], more: Any) -> None:
    more = list(more)
    limits.current().charge(len(items) + len(more), "list")
    items.extend(more)


def _plain(names: str) -> dict[str, Any]:
    return dict.fromkeys(names.split())


_MAPPING = {**_plain("get items keys values pop popitem setdefault update clear"), "copy": _copy}
_SET = _plain(
    "add discard remove update union intersection difference symmetric_difference issubset issuperset isdisjoint "
    "copy pop clear difference_update intersection_update"
)
_LIST: dict[str, Any] = {
    **_plain("append insert pop remove index count sort reverse clear"),
    "extend": _extend,
    "copy": _copy,
}
METHODS: dict[type, dict[str, Any]] = {
    str: {
        **_plain(
            "lower upper title capitalize casefold swapcase strip lstrip rstrip split rsplit splitlines partition "
            "rpartition "
            "startswith endswith removeprefix removesuffix find rfind index rindex count isdigit isalpha isalnum "
            "isnumeric "
            "isdecimal isupper islower isidentifier isspace isascii encode"
        ),
        "join": text.join,
        "replace": text.replace,
        "format": text.format_text,
        **{name: text.pad(name) for name in ("ljust", "rjust", "center", "zfill")},
    },
    bytes: _plain("decode startswith endswith"),
    int: _plain("bit_length real imag numerator denominator conjugate"),
    bool: {},
    float: _plain("is_integer real imag"),
    complex: _plain("real imag"),
    list: _LIST,
    LazyList: _LIST,
    LongList: _LIST,
    tuple: _plain("index count"),
    dict: _MAPPING,
    LazyDict: _MAPPING,
    OrderedDict: {**_MAPPING, **_plain("move_to_end")},
    defaultdict: {**_MAPPING, **_plain("default_factory")},
    Counter: {**_MAPPING, **_plain("most_common")},
    MappingProxyType: _plain("get items keys values"),
    deque: _plain("append appendleft pop popleft clear"),
    set: _SET,
    frozenset: _SET,
    range: _plain("start stop step index count"),
    slice: _plain("start stop step indices"),
    re.Match: _plain("group groups groupdict start end span string re"),
    type(None): {},
    type({}.keys()): _plain("isdisjoint"),
    type({}.values()): {},
    type({}.items()): {},
}
CLASS_METHODS: dict[type, dict[str, Any]] = {
    dict: {"fromkeys": lambda keys, value=None: dict.fromkeys(list(keys), value)},
    OrderedDict: {"fromkeys": lambda keys, value=None: OrderedDict.fromkeys(list(keys), value)},
    int: {"from_bytes": int.from_bytes},
    float: {"fromhex": float.fromhex},
}
_DATA = tuple(METHODS)


def check_name(name: Any) -> None:
    """Refuse a dunder that is not on the list."""
    if not isinstance(name, str):
        raise TypeError("attribute name must be string")
    _check_exact(name)
    if name.startswith("__") and name not in READABLE_DUNDERS:
        raise ForbiddenAttribute(f"attribute {name}")


def _check_exact(name: Any) -> None:
    """An evaluated subclass of `str` answers the questions below as it likes."""
    if isinstance(name, str) and type(name) is not str:
        raise ForbiddenAttribute("an attribute name that is no plain text")


def read(obj: Any, name: str) -> Any:
    """`obj.name` for evaluated code."""
    check_name(name)
    kind = type(obj)
    table = METHODS.get(kind)
    if table is not None:
        return _read_data(obj, name, table)
    if isinstance(obj, type):
        return _read_class(obj, name)
    if issubclass(kind, Open):
        if name in _GATED:
            return partial(_plain_get, obj) if name == "__getattribute__" else partial(_through_gate, obj, name)
        if issubclass(kind, Sealed) and name[:1] == "_":
            return _read_sealed(obj, name)
        return _read_mixed(obj, name) if issubclass(kind, _DATA) else getattr(obj, name)
    return _read_other(obj, name)


def class_of(obj: Any) -> Any:
    """`type(obj)` for evaluated code. Classes of functions, generators, frames and the like are constructors: refused."""
    if isinstance(obj, type):
        return visible_type(type)
    kind = type(obj)
    if kind in METHODS or issubclass(kind, (Open, BaseException)):
        return visible_type(kind)
    raise ForbiddenAttribute(f"type of a {kind.__name__}")


def _plain_get(obj: Any, name: str) -> Any:
    """`object.__getattribute__(obj, name)`."""
    check_name(name)
    kind = type(obj)
    if isinstance(obj, type) or issubclass(kind, (Sealed, *_DATA)) or not issubclass(kind, Open) or name in _GATED:
        return read(obj, name)
    return object.__getattribute__(obj, name)


def _read_sealed(obj: Any, name: str) -> Any:
    """A private name of a shared object: one that the module it stands for might have, never our own fields."""
    if name in _NOT_OF_SHARED:
        raise ForbiddenAttribute(f"{name} of a {type(obj).__name__}")
    if name.startswith("__"):
        return getattr(obj, name)
    find = getattr(type(obj), "__getattr__", None)
    if find is None:
        raise AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'")
    return find(obj, name)


def _read_data(obj: Any, name: str, table: dict[str, Any]) -> Any:
    method = table.get(name, _MISSING)
    if method is None:
        return getattr(obj, name)
    if method is not _MISSING:
        return partial(method, obj)
    if name == "__class__":
        return visible_type(type(obj))
    if name == "__doc__" or not hasattr(obj, name):
        raise AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'")
    if name in ("__len__", "__getitem__", "__contains__", "__iter__", "__eq__", "__setitem__"):
        return getattr(obj, name)
    raise ForbiddenAttribute(f"{type(obj).__name__}.{name}")


def _read_mixed(obj: Any, name: str) -> Any:
    """An instance of an evaluated class that extends plain data: its own names, else those of the table."""
    for cls in type(obj).__mro__:
        if cls in METHODS:
            return _read_data(obj, name, METHODS[cls])
        if name in cls.__dict__:
            break
    return getattr(obj, name)


def _read_class(cls: type, name: str) -> Any:
    cls = getattr(cls, "real", cls) if isinstance(cls, GuardedType) else cls
    if cls in METHODS:
        return _read_data_class(cls, name)
    if name == "mro":
        raise ForbiddenAttribute("mro")
    if name in _GATED:
        return _plain_get if name == "__getattribute__" else partial(_class_gate, cls, name)
    if name == "__class__":
        return visible_type(type)
    if issubclass(cls, Open):
        _check_shared(cls, name)
        return getattr(cls, name)
    if name in _OF_CLASSES:
        return getattr(cls, name)
    if not hasattr(cls, name):
        raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
    raise ForbiddenAttribute(f"{cls.__name__}.{name}")


def _check_shared(cls: type, name: str) -> None:
    """Refuse what leads into our own classes: their raw members, and constructors that could be run on shared objects."""
    if name == "__dict__" and "__source_class__" not in cls.__dict__:
        raise ForbiddenAttribute(f"__dict__ of {cls.__name__}")
    if name in _NOT_OF_SHARED and issubclass(cls, Sealed):
        raise ForbiddenAttribute(f"{name} of {cls.__name__}")


def _read_data_class(cls: type, name: str) -> Any:
    special = CLASS_METHODS.get(cls, {}).get(name)
    if special is not None:
        return special
    if name in METHODS[cls]:
        return METHODS[cls][name] or getattr(cls, name)
    if name in ("__new__", "__init__"):
        return getattr(BASES.get(cls, cls), name)
    if name in _OF_CLASSES or name in ("__getitem__", "__setitem__", "__contains__", "__len__", "__iter__"):
        return getattr(cls, name)
    raise ForbiddenAttribute(f"{cls.__name__}.{name}")


def _read_other(obj: Any, name: str) -> Any:
    if isinstance(obj, super):
        return _read_super(obj, name)
    if isinstance(obj, BaseException) and name in ("args", "__class__", "name", "errno"):
        return getattr(obj, name)
    if isinstance(obj, property) and name in ("__set__", "__get__", "setter", "getter", "deleter"):
        return getattr(obj, name)
    if isinstance(obj, _FUNCTIONS) and name in _OF_FUNCTIONS:
        return getattr(obj, name, None)
    if name == "__class__":
        return class_of(obj)
    if not hasattr(obj, name):
        raise AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'")
    raise ForbiddenAttribute(f"{name} of a {type(obj).__name__}")


def _read_super(proxy: Any, name: str) -> Any:
    owner = proxy.__self__
    if name in _GATED:
        if name == "__getattribute__":
            return _plain_get if isinstance(owner, type) else partial(_super_get, proxy, owner)
        return partial(_super_gate, proxy, owner, name)
    if name == "__dict__":
        return read(owner, name)
    value = getattr(proxy, name)
    if issubclass(type(owner), _DATA) and not isinstance(value, MethodType) and not name.startswith("__"):
        table = next(METHODS[c] for c in type(owner).__mro__ if c in METHODS)
        guarded = table.get(name, _MISSING)
        if guarded is _MISSING:
            raise ForbiddenAttribute(name)
        return value if guarded is None else partial(guarded, owner)
    return value


def _super_get(proxy: Any, owner: Any, name: str) -> Any:
    check_name(name)
    if name in _GATED or issubclass(type(owner), _DATA):  # isinstance() would ask the evaluated `__getattribute__`
        return read(owner, name)
    return proxy.__getattribute__(name)


def _super_gate(proxy: Any, owner: Any, method: str, name: str, *value: Any) -> None:
    _check_write(owner, name)
    getattr(proxy, method)(name, *value)


def _through_gate(obj: Any, method: str, name: str, *value: Any) -> None:
    _check_write(obj, name)
    getattr(obj, method)(name, *value)


def _class_gate(cls: Any, method: str, obj: Any, name: str, *value: Any) -> None:
    _check_write(obj, name)
    getattr(cls, method)(obj, name, *value)


def write(obj: Any, name: str, value: Any) -> None:
    """`obj.name = value` for evaluated code; on modules and unknown values it is of no consequence."""
    if isinstance(obj, (Namespace, Unknown)):
        return
    _check_write(obj, name)
    setattr(obj, name, value)


def delete(obj: Any, name: str) -> None:
    if isinstance(obj, (Namespace, Unknown)):
        return
    _check_write(obj, name)
    delattr(obj, name)


def _check_write(obj: Any, name: Any) -> None:
    _check_exact(name)
    if not isinstance(name, str) or (name.startswith("__") and name.endswith("__")):
        raise ForbiddenAttribute(f"setting {name}")
    if isinstance(obj, type):
        if "__source_class__" not in obj.__dict__:
            raise ForbiddenAttribute(f"setting {name} of {obj.__name__}")
    elif not isinstance(obj, Open) or isinstance(obj, Sealed):
        raise ForbiddenAttribute(f"setting {name} of a {type(obj).__name__}")


# ---------------------------------------------------------------- stand-ins of builtin types
class GuardedType(type):
    """Metaclass of the stand-ins for builtin types: same tests and annotations, constructors with bounds."""

    real: type
    make: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.make(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(getattr(subclass, "real", subclass), cls.real)

    def __getitem__(cls, item: Any) -> Any:
        return cls

    __iter__ = None  # or `for x in list` would ask `list[0]`, `list[1]`, ... without end

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __or__

    def __mro_entries__(cls, bases: Any) -> Any:
        return (cls.real,)


def guarded_type(real: type, make: Any) -> GuardedType:
    cls = GuardedType(real.__name__, (), {"real": real, "make": staticmethod(make)})
    _VISIBLE[real] = cls
    return cls


_VISIBLE: dict[type, GuardedType] = {}


def visible_type(cls: type) -> Any:
    """The class that evaluated code sees for `type(x)`."""
    return _VISIBLE.get(cls, cls)
