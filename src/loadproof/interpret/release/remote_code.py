"""A repository's own model code (`auto_map`), read like the release's."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from loadproof.interpret.language.errors import NotUnderstood, SourceMissing, certain
from loadproof.interpret.language.gate import find, own
from loadproof.interpret.release import importing, requirements
from loadproof.interpret.release.class_bases import OpaqueBase
from loadproof.interpret.release.definitions import FunctionSource
from loadproof.interpret.release.files import CODE, Files, kind_of
from loadproof.interpret.release.model_base import check_ready, tied
from loadproof.interpret.release.ports import World

_MODEL_KEYS = ("AutoModelForCausalLM", "AutoModelForConditionalGeneration", "AutoModelForSeq2SeqLM")
_MORE_KEYS = (
    "AutoModelForImageTextToText",
    "AutoModelForVision2Seq",
    "AutoModel",
    "AutoModelForSequenceClassification",
)


class Reference(NamedTuple):
    """``module.Class`` of an auto_map entry; `repository` is set when it points into another one."""

    module: str
    name: str
    repository: str = ""


def reference(text: Any) -> Reference:
    """Parse an auto_map value. Raises SourceMissing for what is no ``module.Class``."""
    if isinstance(text, (list, tuple)) and text:
        text = text[-1] or text[0]
    if not isinstance(text, str):
        raise SourceMissing("auto_map holds no module.Class text")
    repository, _, rest = text.rpartition("--")
    module, _, name = rest.rpartition(".")
    if not name.isidentifier() or not module or not all(part.isidentifier() for part in module.split(".")):
        raise SourceMissing(f"auto_map entry {text[:80]!r} is not of the form module.Class")
    return Reference(module, name, repository)


def references(raw: dict[str, Any]) -> tuple[Reference, Reference]:
    """(configuration, model) of a repository. Raises SourceMissing when one is not named.

    The model is the one of `architectures` where some Auto class gives it; a bare model that is only written there is
    what no Auto class gives (ChatGLM names its backbone). Else it is the one of the first Auto class that is listed.
    """
    auto_map = raw["auto_map"]
    keys = [k for k in (*_MODEL_KEYS, *_MORE_KEYS) if k in auto_map]
    keys += sorted(k for k in auto_map if isinstance(k, str) and k.startswith("AutoModel") and k not in keys)
    if not keys:
        raise SourceMissing("auto_map names no model class")
    models = [reference(auto_map[key]) for key in keys]
    stated = raw.get("architectures")
    names = stated[:1] if isinstance(stated, list) else []
    return reference(auto_map["AutoConfig"]), next((m for m in models if m.name in names), models[0])


def check_files(files: Files, wanted: tuple[Reference, ...]) -> None:
    """Raise SourceMissing, naming the file, when the code is not in this folder."""
    for ref in wanted:
        file = ref.module.replace(".", "/") + ".py"
        if kind_of(files, f"{CODE}/{file}") is None:
            where = f"in the repository {ref.repository}" if ref.repository else "not in the folder"
            raise SourceMissing(f"the model's own code {file} is {where}")


def build(world: World, raw: dict[str, Any], class_name: str | None) -> Any:
    """The shape-only model of a repository's own code; `world.files` holds it."""
    config_ref, model_ref = references(raw)
    _check_dots(config_ref)
    check_files(world.files, (config_ref, model_ref))
    config_class = _class_of(world, "remote", config_ref.module, config_ref.name)
    if not _has_base(config_class, "PreTrainedConfig", "PretrainedConfig"):
        raise _lacks(config_class, "register_for_auto_class")
    config = config_class.from_dict(raw)
    _check_dots(model_ref)
    package = _copies(world, model_ref.module)  # only now: the configuration is built first
    name = class_name.rpartition(".")[2] if class_name else ""
    file = world.file(f"{package}.{model_ref.module}") if package in world.copied else None
    name = name if file is not None and file.defines(name) else model_ref.name
    cls = _class_of(world, package, model_ref.module, name)
    _check_class(world, raw, config_class, cls)
    model = cls._from_config(config)
    check_ready(world, model)
    return tied(model)


def _check_dots(wanted: Reference) -> None:
    """`module_file, class_name = class_reference.split(".")`"""
    if "." in wanted.module:
        raise certain(ValueError("too many values to unpack (expected 2)"))


def _class_of(world: World, package: str, module: str, name: str) -> Any:
    """`get_class_from_dynamic_module`: what is demanded of the text, then the import, then the name."""
    if package not in world.copied:
        world.copied[package] = requirements.check(world, module)
    file = world.code_file(f"{package}.{module}")
    if file is None:
        raise SourceMissing(f"no source file for {package}.{module}")
    file.is_top = True
    file.run()
    if name not in file.globals and "__getattr__" not in file.globals and not file.stars:
        raise certain(AttributeError(f"module '{importing.shown(file.name)}' has no attribute '{name}'"))
    found = file.member(name)
    if not isinstance(found, type):
        raise NotUnderstood(f"{name} of {file.label} is no class that is read here")
    return found


def _copies(world: World, model_module: str) -> str:
    """The package in which the model's module runs.

    5.24 copies a local folder's files once for each set of them, so the classes of the configuration's own module are
    not those that the model's module imports, unless both need the same files. In a snapshot of the hub's cache, as in
    older releases, there is one copy.
    """
    if world.machine.is_snapshot or not requirements.has_own_copies(world):
        world.copied["remote"] |= requirements.check(world, model_module)
        return "remote"
    wanted = requirements.check(world, model_module)
    if wanted == world.copied["remote"]:
        return "remote"
    world.copied["remote2"] = wanted
    return "remote2"


def _check_class(world: World, raw: dict[str, Any], config_class: Any, cls: Any) -> None:
    """What an Auto class does with a class of remote code before it hands the loading to it."""
    key = next((k for k in (*_MODEL_KEYS, *_MORE_KEYS) if k in raw["auto_map"]), "AutoModel")
    if _has_base(cls, "PreTrainedModel"):
        world.registered.add_model(world, key, config_class, cls, True)
    else:
        raise _lacks(cls, "register_for_auto_class")
    _check_loading(world, cls)


def _has_base(cls: Any, *names: str) -> bool:
    return any(c.__name__ in names for c in cls.__mro__)


def _lacks(cls: Any, name: str) -> Exception:
    if any(issubclass(c, OpaqueBase) for c in cls.__mro__):
        return NotUnderstood(f"a base class of {cls.__name__} is not modelled")
    return certain(AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'"))


def _check_loading(world: World, cls: Any) -> None:
    """Refuse a class that loads its weights in a way of its own; handing on to the library's is not one."""
    for owner in cls.__mro__:
        module = str(owner.__module__)
        if not module.startswith("remote") or "from_pretrained" not in own(owner):
            continue
        file = world.file(module)
        source = file.class_definition(owner.__name__) if file is not None else None
        loaders = (
            [m for m in source.members if isinstance(m, FunctionSource) and m.name == "from_pretrained"]
            if source
            else []
        )
        calls = [
            n
            for m in loaders
            for n in ast.walk(m.node())
            if isinstance(n, ast.Attribute) and n.attr == "from_pretrained"
        ]
        if not any(isinstance(c.value, ast.Call) and find(c.value.func, "id", "") == "super" for c in calls):
            raise NotUnderstood(f"{owner.__name__} loads its weights by a from_pretrained of its own")
