"""How raw JSON fields become attributes of a configuration: the release's own base class, with its glue.

Two generations: field style (annotated class fields and `__post_init__`, from 5.12 on) and init style
(`__init__(**kwargs)`).
"""

# ruff: noqa: ARG001, N807 - the signatures are the library's
from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.language.gate import find, has, own, read_class, write
from loadproof.interpret.language.objects import NO_DEFAULT
from loadproof.interpret.language.values import Class, Function, Members, Value, table_of
from loadproof.interpret.release.dataclass_parts import default_of, inherited_fields
from loadproof.interpret.release.field_types import StrictDataclassClassValidationError, check_field, checker
from loadproof.interpret.release.lazy_members import LazyMethod
from loadproof.interpret.release.ports import World

_NAMES = ("PreTrainedConfig", "PretrainedConfig")
_MAPPING = """\
if key != 'attribute_map' and key in super().__getattribute__('attribute_map'):
    key = super().__getattribute__('attribute_map')[key]
return super().__getattribute__(key)"""
_NOT_NEEDED = {"__init_subclass__", "__repr__", "__eq__"}


def build(world: World) -> Class:
    """The base class of all configurations of this release."""
    file = world.file("transformers.configuration_utils")
    source = next((s for s in map(file.class_definition, _NAMES) if s is not None), None) if file else None
    if file is None or source is None:
        raise SourceMissing("no configuration base class in this release")
    file.globals["is_torch_available"] = lambda: False
    made = file.make_class(source.without(_NOT_NEEDED))
    base: Any = made
    if "__post_init__" in source.functions():
        base.__init__ = field_style_init
        base.validate = lambda self: _validate(type(self), self)
        base.__strict__ = True
        base.__setattr__ = _checked_setattr(base.__setattr__)
    if _maps_names_as_ever(source):
        base.__getattribute__ = _mapped
    base.__hash__ = object.__hash__
    base.__repr__ = base.__str__ = lambda self: f"{type(self).__name__} {{...}}"
    base.from_dict = classmethod(_from_dict)
    for name in _NAMES:
        file.globals[name] = base
    return made


def _maps_names_as_ever(source: Any) -> bool:
    """Whether `__getattribute__` has the text that it has in every release since 4.13; then it need not be evaluated."""
    found = next((m for m in source.members if find(m, "name", "") == "__getattribute__"), None)
    return found is not None and "\n".join(map(ast.unparse, found.node().body)) == _MAPPING


def _mapped(self: Any, key: str) -> Any:
    """An attribute of a configuration under its other name; a model reads tens of thousands of them."""
    read = object.__getattribute__
    if key[:2] != "__" and key != "attribute_map":
        names = read(self, "attribute_map")
        if key in names:
            key = names[key]
    try:
        return read(self, key)
    except AttributeError as problem:  # every attribute that the library sets is read from its text
        raise certain(problem) from None


def _from_dict(cls: Any, raw: dict[str, Any], /, **_: object) -> Any:
    return cls(**raw)


def field_style_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Annotated fields first (a subclass may override a default without annotation), the rest to `__post_init__`."""
    cls = type(self)
    fields = inherited_fields(cls)
    for name, (default, _, _) in fields.items():
        value = kwargs[name] if name in kwargs else default_of(_override(cls, name, default))
        if value is NO_DEFAULT:
            raise certain(TypeError(f"Missing required field - '{name}'"))
        write(self, name, value)
    self.__post_init__(**{k: v for k, v in kwargs.items() if k not in fields})
    if own(cls).get("__strict__"):
        _validate(cls, self)


def _validate(cls: Any, config: Any) -> None:
    """Every `validate_*` method in alphabetical order, as `@strict` runs them after `__init__`."""
    for name in sorted({n for c in cls.__mro__ for n in own(c) if n.startswith("validate_")}):
        try:
            read_class(cls, name)(config)
        except (ValueError, TypeError) as cause:
            raise certain(StrictDataclassClassValidationError(name, cause)) from cause


def _checked_setattr(original: Any) -> Any:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        check = _checks(type(self)).get(name)
        if check is not None:
            check_field(name, value, check)
        original(self, name, value)

    return __setattr__


def _checks(cls: Any) -> dict[str, Any]:
    """Field name -> type check, of the nearest class that is decorated with `@strict`."""
    strict = next((c for c in cls.__mro__ if own(c).get("__strict__")), None)
    if strict is None:
        return {}
    known: dict[str, Any] | None = own(strict).get("__checks__")
    if known is None:
        made = {n: checker(annotation, file) for n, (_, annotation, file) in inherited_fields(strict).items()}
        known = {n: check for n, check in made.items() if check is not None}
        type.__setattr__(strict, "__checks__", known)
    return known


def _own_init(cls: type) -> Function:
    def __init__(self: Value, *args: Value, **kwargs: Value) -> None:
        field_style_init(self, *args, **kwargs)

    __init__.__signature_names__ = ["self", *inherited_fields(cls)]  # type: ignore[attr-defined]
    return __init__


def _override(cls: Any, name: str, default: Any) -> Any:
    for c in cls.__mro__:
        if name in own(c) and not isinstance(own(c)[name], (property, LazyMethod)):
            return own(c)[name]
    return default


def finish_class(world: World, cls: Any, members: Members, decorators: list[str]) -> None:
    """What the base class does when a subclass is defined: it becomes a dataclass, and bare sub-configs are wrapped."""
    if not world.is_config(cls):
        return
    if any(d.split("(")[0].endswith("strict") for d in decorators):
        cls.__strict__ = True
    if "__init__" not in members and has(cls, "__post_init__"):
        cls.__init__ = _own_init(cls)
        cls.__dataclass_fields__ = True
    if "sub_configs_defaults" in members:
        spec: Any = world.load("transformers.configuration_utils", "SubConfigSpec")
        cls.sub_configs_defaults = {
            k: v if isinstance(v, spec) else spec(config_class=v)
            for k, v in table_of(members["sub_configs_defaults"]).items()
        }
