"""A repository's own model code (`auto_map`), read like the release's."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from loadproof.interpret.language.errors import NotUnderstood, SourceMissing
from loadproof.interpret.release import imports
from loadproof.interpret.release.files import CODE, Files, kind_of
from loadproof.interpret.release.model_base import tied

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


def build(world: Any, raw: dict[str, Any], class_name: str | None) -> Any:
    """The shape-only model of a repository's own code; `world.files` holds it."""
    config_ref, model_ref = references(raw)
    check_files(world.files, (config_ref, model_ref))
    imports.check(world, "remote." + config_ref.module)
    config_class = world.load("remote." + config_ref.module, config_ref.name)
    config = config_class.from_dict(raw) if world.is_config(config_class) else config_class(**raw)
    imports.check(world, "remote." + model_ref.module)  # only now: the library builds the configuration first
    file = world.file("remote." + model_ref.module)
    name = class_name.rpartition(".")[2] if class_name else ""
    name = name if name in file.defs else model_ref.name
    cls = world.load(file.name, name)
    _check_loading(cls)
    return tied(cls._from_config(config))


def _check_loading(cls: Any) -> None:
    """Refuse a class that loads its weights in a way of its own; handing on to the library's is not one."""
    for owner in cls.__mro__:
        source = getattr(owner.__dict__.get("from_pretrained"), "source", None)
        if source is None or not str(owner.__module__).startswith("remote"):
            continue
        calls = [n for n in ast.walk(source.node()) if isinstance(n, ast.Attribute) and n.attr == "from_pretrained"]
        if not any(isinstance(c.value, ast.Call) and getattr(c.value.func, "id", "") == "super" for c in calls):
            raise NotUnderstood(f"{owner.__name__} loads its weights by a from_pretrained of its own")
