"""`GenerationConfig`: a stand-in where a model makes one, and the release's own check of what a configuration states."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from loadproof.interpret.language.errors import NotUnderstood, SourceMissing
from loadproof.interpret.language.gate import find, read
from loadproof.interpret.language.grammar import method
from loadproof.interpret.language.objects import SourceObject, Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.release.definitions import FunctionSource
from loadproof.interpret.release.ports import World

_MODULE = "transformers.generation.configuration_utils"


def stand_in(world: World) -> Value:
    """A stand-in for GenerationConfig: only the names of its parameters matter, the model's configuration drops them."""
    defaults = _defaults(world)

    class GenerationConfig(SourceObject):
        _get_default_generation_params = staticmethod(lambda: defaults)

        def __init__(self, *_: object, **__: object) -> None:
            pass

        @classmethod
        def from_model_config(cls, config: Value) -> Value:
            check(world, config)
            return cls()

        @classmethod
        def from_dict(cls, *_: object, **__: object) -> Value:
            return cls()

        from_pretrained = from_dict

        def __getattr__(self, key: str) -> Value:
            if key.startswith("__"):
                raise AttributeError(key)
            return Unknown(f"generation_config.{key}")

    return GenerationConfig


def _defaults(world: World) -> Value:
    """Parameter -> default, as far as the release says them in one place."""
    file = world.file(_MODULE)
    source = file.class_definition("GenerationConfig") if file is not None else None
    for member in source.members if source is not None else ():
        if isinstance(member, FunctionSource) and member.name == "_get_default_generation_params" and file is not None:
            return method(member.node(), file, None)()
    return {}


def check(world: World, config: Any) -> None:
    """Raise what release 4 raises for generation parameters in a model's configuration that contradict each other.

    There a model makes its GenerationConfig of them, and that checks itself (modeling_utils.py:2093 of 4.57.1). Nothing is
    read where all of them have their default.
    """
    defaults: dict[str, Any] = find(config, "_get_global_generation_defaults", dict)()
    stated = {key: _stated(config, key) for key in defaults}
    if all(value is None or value == defaults[key] for key, value in stated.items()):
        return
    with suppress(NotUnderstood):  # it warns, or asks for what no constructor needs
        _own_class(world)(**{key: value for key, value in stated.items() if value is not None})


def _stated(config: Any, key: str) -> Any:
    try:
        return read(config, key)
    except AttributeError:
        return None


def _own_class(world: World) -> Any:
    """The class as the release's text defines it."""
    if world.memo.generation_config is None:
        file = world.file(_MODULE)
        source = file.class_definition("GenerationConfig") if file is not None else None
        if file is None or source is None:
            raise SourceMissing("no class GenerationConfig in this release")
        world.memo.generation_config = file.make_class(source)
    return world.memo.generation_config
