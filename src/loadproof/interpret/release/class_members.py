"""The members of a class that is read lazily: statements of its body become attributes, functions wait."""

from __future__ import annotations

import ast

from loadproof.interpret.language.errors import ForbiddenAttribute
from loadproof.interpret.language.gate.names import HIDDEN
from loadproof.interpret.language.grammar import expression
from loadproof.interpret.language.objects import NO_DEFAULT
from loadproof.interpret.language.scope import Scope, mangled_in
from loadproof.interpret.language.values import Members, Value
from loadproof.interpret.release.definitions import ClassSource, FunctionSource, Member
from loadproof.interpret.release.lazy_members import Broken, LazyClassProperty, LazyMethod, LazyProperty
from loadproof.interpret.release.ports import Fields, File


def fill(file: File, source: ClassSource, members: Members, fields: Fields, env: Scope | None) -> list[Scope]:
    """The members of a class that is read lazily; none of their scopes waits for the class."""
    for member in source.members:
        _add_member(file, member, members, fields, env)
    return []


def evaluate(file: File, node: ast.expr, env: Scope | None, members: Members | None = None) -> Value:
    local = Scope(env, file, file.world.budget)
    for key, value in (members or {}).items():
        if not isinstance(value, Broken):
            local[key] = value
    return expression(node)(local)


def _add_member(file: File, s: Member, members: Members, fields: Fields, env: Scope | None) -> None:
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
        members[allowed(s.name, members)] = file.make_class(s, env)


def allowed(name: str, members: Members) -> str:
    """The name of a class attribute, unless it would make the object look like another kind to our own code."""
    if name in HIDDEN - {"__slots__"}:
        raise ForbiddenAttribute(f"class attribute {name}")
    return mangled_in(name, str(members["__qualname__"]))


def assignable(name: str, members: Members) -> str:
    """The same for a name that is given a value: a method of that name would be kept from the dunders."""
    if name == "__getattribute__":
        raise ForbiddenAttribute(f"class attribute {name}")
    return allowed(name, members)


def _add_annotated(file: File, s: ast.AnnAssign, members: Members, fields: Fields, env: Scope | None) -> None:
    name: str = s.target.id  # type: ignore[union-attr]
    if s.value is not None:
        members[assignable(name, members)] = _value(file, s.value, members, env)
    elif name == "config":
        members["__config_annotation__"] = (file, s.annotation)
    if "ClassVar" not in ast.unparse(s.annotation):
        fields[name] = (members[name] if s.value is not None else NO_DEFAULT, s.annotation, file)


def _value(file: File, node: ast.expr, members: Members, env: Scope | None) -> Value | Broken:
    try:
        return evaluate(file, node, env, members)
    except Exception as problem:
        return Broken(f"class attribute at {file.label}:{node.lineno}: {problem}")


def _add_function(file: File, s: FunctionSource, members: Members) -> None:
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
