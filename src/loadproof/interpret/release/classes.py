"""Class statements turned into classes whose methods are built at first use."""

from __future__ import annotations

import ast
import types
from typing import Any

from loadproof.interpret.language.call_errors import missing
from loadproof.interpret.language.counted import BASES
from loadproof.interpret.language.errors import (
    ForbiddenAttribute,
    NotUnderstood,
    UnknownUsed,
    UnsupportedSyntax,
    certain,
)
from loadproof.interpret.language.gate import BUILTIN, DATA, GuardedType, annotated, has, own, state, write
from loadproof.interpret.language.gate.names import HIDDEN
from loadproof.interpret.language.grammar import expression, method
from loadproof.interpret.language.objects import NO_DEFAULT, Field, Namespace, SourceObject, Unknown
from loadproof.interpret.language.scope import CLASS, Scope, mangled_in
from loadproof.interpret.language.standard_library import Annotation
from loadproof.interpret.language.values import Open, Sealed
from loadproof.interpret.release.definitions import ClassSource, FunctionSource, class_source
from loadproof.interpret.release.ports import File

# Not part of an evaluated class: attributes live in __dict__, where copies find them; the others would be called by
# Python itself, outside of an evaluation (collection of garbage, pickling, the rendering of a report).
_NEVER_RUN = ("__slots__", "__del__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__fspath__")


class LazyMethod:
    """Descriptor that builds the function at first access and then replaces itself in the class."""

    def __init__(self, source: FunctionSource, file: File, kind: str | None) -> None:
        self.source, self.file, self.kind = source, file, kind

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, obj: Any, cls: Any) -> Any:
        function: Any = method(self.source.node(), self.file, self.owner)
        if self.kind is not None:
            function = {"staticmethod": staticmethod, "classmethod": classmethod}[self.kind](function)
        if self.name == "__getattribute__":
            function = past_dunders(function)
        type.__setattr__(self.owner, self.name, function)
        return function.__get__(obj, cls)


def past_dunders(function: Any) -> Any:
    """An evaluated `__getattribute__` without the dunders: isinstance() of our own code asks for `__class__`."""

    def getattribute(self: Any, name: str) -> Any:
        return object.__getattribute__(self, name) if name.startswith("__") else function(self, name)

    return getattribute


class LazyProperty(property):
    def __init__(
        self, getter: FunctionSource, file: File, setter: FunctionSource | None = None, cached: bool = False
    ) -> None:
        self.getter_source, self.setter_source, self.file, self.cached = getter, setter, file, cached
        self.built: dict[str, Any] = {}

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def _function(self, which: str, source: FunctionSource) -> Any:
        if which not in self.built:
            self.built[which] = method(source.node(), self.file, self.owner)
        return self.built[which]

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        if obj is None:
            return self
        if self.cached and self.name in state(obj):
            return state(obj)[self.name]
        value = self._function("get", self.getter_source)(obj)
        if self.cached:
            state(obj)[self.name] = value
        return value

    def __set__(self, obj: Any, value: Any) -> None:
        if self.cached:
            state(obj)[self.name] = value
        elif self.setter_source is None:
            raise AttributeError(f"property '{self.name}' of '{type(obj).__name__}' object has no setter")
        else:
            self._function("set", self.setter_source)(obj, value)


class LazyClassProperty:
    def __init__(self, source: FunctionSource, file: File) -> None:
        self.source, self.file = source, file

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner = owner

    def __get__(self, obj: Any, cls: Any) -> Any:
        return method(self.source.node(), self.file, self.owner)(cls)


class Broken:
    """A class attribute whose value could not be evaluated: using it is an error, having it is none."""

    def __init__(self, problem: str) -> None:
        self.problem = problem

    def __get__(self, obj: Any, cls: Any) -> Any:
        raise NotUnderstood(self.problem)


class OpaqueBase(Open):
    """Stands for a base class that is not modelled; building an instance is refused."""

    def __init__(self, *_: object, **__: object) -> None:
        raise UnknownUsed(f"a base class of {type(self).__name__} is not modelled")

    def __init_subclass__(cls, **_: object) -> None:
        pass


def plain_field(default: Any = None, **_: object) -> Any:
    """A validated dataclass field, seen as its default."""
    return default


def any_context(*_: object, **__: object) -> Any:
    return Unknown("context")


# ---------------------------------------------------------------- class statement
def make_class(file: File, source: ClassSource, env: Scope | None = None) -> Any:
    """The class of a class statement; `env` is the enclosing function's scope, if any."""
    bases = _bases(file, source, env)
    file.world.budget.charge_class(bases)
    fields: dict[str, Any] = {}
    members: dict[str, Any] = {"__module__": file.name, "__qualname__": source.name, "__source_class__": fields}
    members["__direct__"] = not any(issubclass(base, (*DATA, BaseException)) for base in bases)
    cells = file.fill_class(source, members, fields, env)
    dataclass = _is_dataclass(source, bases)
    if dataclass:
        _drop_defaults(members, fields, source.decorators)
    for name in _NEVER_RUN:
        members.pop(name, None)
    metaclass = next((type(b) for b in reversed(bases) if type(b) is not type), type)
    cls: Any = _new_class(source.name, bases, metaclass, members)
    if dataclass and not file.world.is_config(cls):
        cls.__init__ = dataclass_init
        cls.__dataclass_fields__ = True
    for cell in cells:
        cell[CLASS] = cls
    file.world.finish_class(cls, members, source.decorators)
    return cls


def fill(
    file: File, source: ClassSource, members: dict[str, Any], fields: dict[str, Any], env: Scope | None
) -> list[Scope]:
    """The members of a class that is read lazily; none of their scopes waits for the class."""
    for member in source.members:
        _add_member(file, member, members, fields, env)
    return []


def _drop_defaults(members: dict[str, Any], fields: dict[str, Any], decorators: list[str]) -> None:
    """A dataclass keeps no class attribute for a field without default, nor for any field when it has slots."""
    slots = any("slots" in d and "dataclass" in d for d in decorators)
    for name, (default, _, _) in fields.items():
        if slots or (isinstance(default, Field) and default.default is NO_DEFAULT):
            members.pop(name, None)
        elif isinstance(default, Field):
            members[name] = default.default


_DATA = (bytes, complex, dict, float, frozenset, int, list, set, str, tuple)  # no two can be bases of one class


def _new_class(name: str, bases: tuple[type, ...], metaclass: Any, members: dict[str, Any]) -> Any:
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


def _is_dataclass(source: ClassSource, bases: tuple[type, ...]) -> bool:
    return any("dataclass" in d for d in source.decorators) or NamedTupleBase in bases


class NamedTupleBase(SourceObject):
    """`typing.NamedTuple` as a base class."""


def _bases(file: File, source: ClassSource, env: Scope | None) -> tuple[type, ...]:
    bases: list[Any] = []
    for node in source.bases:
        base = _as_base(_evaluate(file, node, env), source.name)
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


def _evaluate(file: File, node: ast.expr, env: Scope | None, members: dict[str, Any] | None = None) -> Any:
    local = Scope(env, file, file.world.budget)
    for key, value in (members or {}).items():
        if not isinstance(value, Broken):
            local[key] = value
    return expression(node)(local)


def _add_member(file: File, s: Any, members: dict[str, Any], fields: dict[str, Any], env: Scope | None) -> None:
    if isinstance(s, FunctionSource):
        _add_function(file, s, members)
    elif isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
        _add_annotated(file, s, members, fields, env)
    elif isinstance(s, ast.Assign):
        value = _value(file, s.value, members, env)
        for target in s.targets:
            if isinstance(target, ast.Name):
                members[assignable(target.id, members)] = value
    elif isinstance(s, ast.If):
        for x in s.body:
            _add_member(
                file, FunctionSource(x.name, [], x) if isinstance(x, ast.FunctionDef) else x, members, fields, env
            )
    elif isinstance(s, ast.ClassDef):
        members[allowed(s.name, members)] = make_class(file, class_source(s), env)


def allowed(name: str, members: dict[str, Any]) -> str:
    """The name of a class attribute, unless it would make the object look like another kind to our own code."""
    if name in HIDDEN - {"__slots__"}:
        raise ForbiddenAttribute(f"class attribute {name}")
    return mangled_in(name, members["__qualname__"])


def assignable(name: str, members: dict[str, Any]) -> str:
    """The same for a name that is given a value: a method of that name would be kept from the dunders."""
    if name == "__getattribute__":
        raise ForbiddenAttribute(f"class attribute {name}")
    return allowed(name, members)


def _add_annotated(file: File, s: ast.AnnAssign, members: dict[str, Any], fields: dict[str, Any], env: Any) -> None:
    name: str = s.target.id  # type: ignore[union-attr]
    if s.value is not None:
        members[assignable(name, members)] = _value(file, s.value, members, env)
    elif name == "config":
        members["__config_annotation__"] = (file, s.annotation)
    if "ClassVar" not in ast.unparse(s.annotation):
        fields[name] = (members[name] if s.value is not None else NO_DEFAULT, s.annotation, file)


def _value(file: File, node: ast.expr, members: dict[str, Any], env: Scope | None) -> Any:
    try:
        return _evaluate(file, node, env, members)
    except Exception as problem:
        return Broken(f"class attribute at {file.label}:{node.lineno}: {problem}")


def _add_function(file: File, s: FunctionSource, members: dict[str, Any]) -> None:
    name = allowed(s.name, members)
    names = [d.split("(")[0] for d in s.decorators]
    if any(
        x in ("property", "cached_property", "functools.cached_property", "torch.jit.unused_property") for x in names
    ):
        members[name] = LazyProperty(s, file, cached=any("cached" in x for x in names))
    elif "classproperty" in names:
        members[name] = LazyClassProperty(s, file)
    elif any(x.endswith(".setter") for x in names):
        getter = members.get(name)
        members[name] = LazyProperty(getter.getter_source if isinstance(getter, LazyProperty) else s, file, s)
    else:
        kind = next((k for k in ("staticmethod", "classmethod") if k in names), None)
        implied = {"__init_subclass__": "classmethod", "__class_getitem__": "classmethod", "__new__": "staticmethod"}
        members[name] = LazyMethod(s, file, implied.get(name, kind))


# ---------------------------------------------------------------- dataclasses
def inherited_fields(cls: Any) -> dict[str, Any]:
    """Annotated fields, bases first: name -> (default, annotation, file)."""
    return annotated(cls)


def default_of(value: Any) -> Any:
    """What a field holds when nothing is given. Raises NotUnderstood where the class attribute could not be evaluated."""
    if isinstance(value, Broken):
        raise NotUnderstood(value.problem)
    return value.make() if isinstance(value, Field) else value


def dataclass_init(self: Any, *args: Any, **kwargs: Any) -> None:
    fields = inherited_fields(type(self))
    inputs = [n for n, (d, _, _) in fields.items() if not isinstance(d, Field) or (d.init and not d.kw_only)]
    if len(args) > len(inputs) or not kwargs.keys() <= fields.keys():
        raise TypeError(f"{type(self).__name__}.__init__() got unexpected arguments")
    kwargs.update(zip(inputs, args, strict=False))
    for name, (default, _, _) in fields.items():
        if isinstance(default, Field) and not default.init and default_of(default) is NO_DEFAULT:
            continue
        value = default_of(kwargs.get(name, default))
        if value is NO_DEFAULT:
            raise missing(f"{type(self).__name__}.__init__", [name])
        write(self, name, value)
    if has(self, "__post_init__"):
        self.__post_init__()
