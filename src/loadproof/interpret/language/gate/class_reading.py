"""Attributes of classes: found along the ancestors, never in the metaclass; functions of ours only with a receiver of theirs."""

from __future__ import annotations

from functools import lru_cache, partial
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from loadproof.interpret.language.counted import BASES
from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.host import annotated, find, is_evaluated, is_evaluated_class, own
from loadproof.interpret.language.gate.kinds import CLASS_METHODS, METHODS, admitted, charge_text
from loadproof.interpret.language.gate.names import GATED, HIDDEN, OF_EXCEPTIONS, OF_FUNCTIONS
from loadproof.interpret.language.gate.types import real_type, visible_type
from loadproof.interpret.language.gate.writing import check_write
from loadproof.interpret.language.objects import NO_DEFAULT, Field, SimpleNamespace, SourceObject, Unknown
from loadproof.interpret.language.values import Open, Sealed, Value

_OF_DATA = (
    "__getitem__",
    "__setitem__",
    "__contains__",
    "__len__",
    "__iter__",
    "__eq__",
    "__hash__",
    "__repr__",
    "__str__",
)
_CONSTRUCTORS = ("__init__", "__new__")
_UNREAD = (GetSetDescriptorType, MemberDescriptorType)


def attribute_error(obj: Value, name: str) -> AttributeError:
    """What Python raises; the object is kept, as a stand-in may lack what the library has."""
    said = f"type object '{obj.__name__}'" if isinstance(obj, type) else f"'{type(obj).__name__}' object"
    return AttributeError(f"{said} has no attribute '{name}'", name=name, obj=obj)


def read_class(cls: Any, name: str) -> Any:
    """`cls.name` for evaluated code; the name is checked already."""
    cls = real_type(cls)
    if name == "__class__":
        return visible_type(type)
    if name == "mro":
        raise ForbiddenAttribute("mro")
    if name in GATED:
        return partial(_class_gate, cls, name)
    if name in OF_FUNCTIONS:
        return find(cls, "__doc__") if name == "__doc__" else getattr(cls, name)
    if cls in METHODS:
        return _read_data_class(cls, name)
    if issubclass(cls, Open):
        return admitted(_read_open_class(cls, name))
    return _read_python_class(cls, name)


def _read_python_class(cls: type, name: str) -> Any:
    """A class of Python that is neither plain data nor ours."""
    if issubclass(cls, BaseException) and name in (*OF_EXCEPTIONS, "__new__") and name not in ("args", "name", "errno"):
        return getattr(cls, name)
    if cls is object and name in (*_CONSTRUCTORS, "__eq__", "__hash__", "__repr__", "__str__"):
        return getattr(cls, name)
    if not hasattr(cls, name):
        raise attribute_error(cls, name)
    raise ForbiddenAttribute(f"{cls.__name__}.{name}")


def _read_data_class(cls: type, name: str) -> Any:
    special = CLASS_METHODS.get(cls, {}).get(name)
    if special is not None:
        return special
    if name in METHODS[cls]:
        return METHODS[cls][name] or _unbound_data(cls, name)
    if name in _CONSTRUCTORS:
        return _of_base(cls, name)
    if name in _OF_DATA:
        raw = getattr(cls, name)
        return unbound(cls, raw) if type(raw) is FunctionType else raw
    raise ForbiddenAttribute(f"{cls.__name__}.{name}")


def _of_base(cls: type, name: str) -> Any:
    """A constructor in its counted form, which works on instances only."""
    raw = getattr(BASES.get(cls, cls), name)
    return unbound(cls, raw) if type(raw) is FunctionType and name == "__init__" else raw


@lru_cache(maxsize=2_048)
def _unbound_data(cls: type, name: str) -> Value:
    """``str.upper``: what the instance's own table gives, looked up when it is called."""
    raw = getattr(cls, name)
    if not callable(raw):
        raise ForbiddenAttribute(f"{cls.__name__}.{name}")

    def method(receiver: Any, *args: Any, **kwargs: Any) -> Any:
        if issubclass(type(receiver), (str, bytes)):
            charge_text(receiver, name)
        return raw(receiver, *args, **kwargs)

    return method


# ---------------------------------------------------------------- classes of ours
def _read_open_class(cls: Any, name: str) -> Any:
    virtual = _VIRTUAL.get(name)
    if virtual is not None:
        return virtual(cls)
    if name in HIDDEN or (
        issubclass(cls, Sealed) and ((name[:1] == "_" and name[:2] != "__") or name in _CONSTRUCTORS)
    ):
        raise ForbiddenAttribute(f"{name} of {cls.__name__}")
    for owner in cls.__mro__:
        if name in own(owner):
            return _found(cls, owner, name)
    raise attribute_error(cls, name)


def _found(cls: Any, owner: type, name: str) -> Any:
    """A name that `owner`, an ancestor of `cls`, defines."""
    if owner in METHODS:
        return _read_data_class(owner, name)
    raw = own(owner)[name]
    if is_evaluated_class(owner):
        return raw if isinstance(raw, property) else getattr(cls, name)
    if not issubclass(owner, Open) and not _is_abstract(owner):
        return _of_base(owner, name) if owner in BASES.values() else _read_python_class(owner, name)
    if isinstance(raw, (property, *_UNREAD)):
        raise ForbiddenAttribute(f"{owner.__name__}.{name}")
    return unbound(owner, raw) if type(raw) is FunctionType and not is_evaluated(raw) else getattr(cls, name)


def _is_abstract(owner: type) -> bool:
    return owner.__module__ == "collections.abc"


@lru_cache(maxsize=2_048)
def unbound(owner: Any, function: Any) -> Any:
    """A function of one of our classes, for receivers of that class (of a module: for any module) only."""
    family = find(owner, "__family__") or owner

    def method(*args: Any, **kwargs: Any) -> Any:
        if not args or not issubclass(type(args[0]), family):
            raise ForbiddenAttribute(f"{owner.__name__}.{function.__name__} of something else")
        return function(*args, **kwargs)

    method.__name__ = method.__qualname__ = function.__name__
    method.__module__, method.__doc__ = function.__module__, function.__doc__
    known = function.__dict__.get("__signature_names__")
    if known is not None:
        method.__signature_names__ = known  # type: ignore[attr-defined]
    return method


def _class_gate(cls: Value, method: str, obj: Value, name: str, *value: Value) -> None:
    check_write(obj, name)
    getattr(cls, method)(obj, name, *value)


# ---------------------------------------------------------------- what Python keeps of a class, as far as it may be seen
def _shown(classes: tuple[type, ...]) -> tuple[Value, ...]:
    kept = [c for c in classes if c not in (Open, SourceObject) and not issubclass(c, Sealed)]
    seen = dict.fromkeys(visible_type(_COUNTED.get(c, c)) for c in kept)
    return (*(c for c in seen if c is not object), object)


def _names(cls: type) -> dict[str, Value]:
    """`cls.__dict__`: a copy, each name as reading it gives it."""
    if not is_evaluated_class(cls):
        raise ForbiddenAttribute(f"__dict__ of {cls.__name__}")
    return {name: _name_of(cls, name) for name in own(cls) if name not in HIDDEN}


def _name_of(cls: type, name: str) -> Any:
    try:
        return admitted(_found(cls, cls, name))
    except Exception:
        return Unknown(f"{cls.__name__}.{name}")


def _members(cls: type) -> Value:
    """`cls.__members__` of an enumeration."""
    found: Value = find(cls, "_members")
    if found is None:
        raise attribute_error(cls, "__members__")
    return found


def annotations_of(cls: type) -> dict[str, Value]:
    known = own(cls).get("__source_class__", {})
    return {name: Unknown(f"annotation of {name}") for name in known}


def fields_of(cls: type) -> dict[str, Value]:
    """`cls.__dataclass_fields__`: the names, as the definitions themselves hold syntax and files."""
    if find(cls, "__dataclass_fields__") is None:
        raise attribute_error(cls, "__dataclass_fields__")
    return {name: _field(name, field[0]) for name, field in annotated(cls).items()}


def _field(name: str, default: Value) -> SimpleNamespace:
    stated = default if isinstance(default, Field) else Field(default)
    factory = NO_DEFAULT if stated.default_factory is None else stated.default_factory
    kind = Unknown(f"type of field {name}")
    return SimpleNamespace(
        name=name,
        type=kind,
        default=stated.default,
        default_factory=factory,
        init=stated.init,
        metadata=stated.metadata,
    )


_COUNTED = {base: real for real, base in BASES.items()}
_VIRTUAL = {
    "__dict__": _names,
    "__mro__": lambda cls: _shown(cls.__mro__),
    "__bases__": lambda cls: _shown(cls.__bases__),
    "__annotations__": annotations_of,
    "__dataclass_fields__": fields_of,
    "__members__": _members,
}
