"""Raw configuration -> shape-only model, in the release or in the repository's own code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from loadproof.core.near import did_you_mean
from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.language.gate import has
from loadproof.interpret.release import auto_classes, auto_map, remote_code
from loadproof.interpret.release.class_choice import choose_class, classes_of
from loadproof.interpret.release.disk import Disk, on_disk
from loadproof.interpret.release.locate import versions
from loadproof.interpret.release.model_base import tied
from loadproof.interpret.release.world import World

_HOST_RECURSION = 6_000  # Python frames; `limits.DEPTH` ends an evaluation long before


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """A call of evaluated code takes about ten Python frames; what the compiler would warn of is not the user's text."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _HOST_RECURSION))
    try:
        with warnings.catch_warnings():
            for category in (SyntaxWarning, DeprecationWarning):  # of 3.12 and 3.11: an invalid escape sequence
                warnings.simplefilter("ignore", category)
            yield
    finally:
        sys.setrecursionlimit(before)


@lru_cache(maxsize=2)
def release(root: str) -> tuple[World, Disk]:
    """The trusted release in this folder and what was read of it; its parsed files are shared by all models of a process."""
    disk = on_disk(root, is_trusted=True)
    return World(disk, versions=versions), disk


def effective_type(raw: dict[str, Any], world: World) -> str:
    """`model_type`, with the library's one exception (`AutoConfig.from_pretrained`, configuration_auto.py:437 of 5.24)."""
    stated = raw.get("model_type")
    model_type = stated if isinstance(stated, str) else ""
    if model_type == "mistral" and "layer_types" in raw and "ministral" in world.config_names:
        return "ministral"
    return model_type


def decoded(value: Any) -> Any:
    """A copy of the JSON value in which ``{"__float__": "Infinity"}`` is the number again (configuration_utils.py:1168)."""
    if isinstance(value, dict):
        if set(value) == {"__float__"} and value["__float__"] in ("Infinity", "-Infinity", "NaN"):
            return float(value["__float__"])
        return {key: decoded(item) for key, item in value.items()}
    return [decoded(item) for item in value] if isinstance(value, list) else value


def choose(world: World, raw: dict[str, Any], model_type: str) -> str:
    """Name of the native class. Raises SourceMissing when the release has none."""
    world.begin(model_type)
    name = choose_class(world, raw, model_type)
    if name is None:
        raise SourceMissing(f"this release maps model type `{model_type}` to no class that generates text")
    return name


def build(
    world: World, raw: dict[str, Any], model_type: str, name: str, change: Callable[[Any], None] | None = None
) -> Any:
    """The model of a native class; `change` may alter its configuration before the model is made.

    Raises NotUnderstood, or the exception the library would raise.
    """
    world.begin(model_type)
    cls = world.find_class(name, model_type)
    if cls is None:
        raise SourceMissing(f"this release has no class {name}{did_you_mean(name, classes_of(world, model_type))}")
    config = auto_classes.ConfigMapping(world)[model_type].from_dict(decoded(raw))
    if change is not None:
        change(config)
    return tied(cls._from_config(_config_for(cls, config)))


def _config_for(cls: Any, config: Any) -> Any:
    """A composite configuration's text part when the class is declared for that part (as the Auto classes do)."""
    sub = config.sub_configs.get("text_config") if has(config, "sub_configs") else None
    if sub is not None and auto_classes.config_class_of(cls) is sub:
        return config.get_text_config()
    return config


def build_remote(world: World, raw: dict[str, Any], class_name: str | None) -> Any:
    """The model of a repository's own code, in a world that no other evaluation shares."""
    world.begin("")
    return remote_code.build(world, decoded(raw), class_name)


def needs_own_code(world: World, raw: dict[str, Any], class_name: str | None) -> bool:
    """Whether a repository's own code makes the model: the release has no such type, or that code is asked for."""
    if not auto_map.has_code(raw):
        return False
    return auto_map.is_asked_for(class_name, raw) or effective_type(raw, world) not in world.config_names


def unknown_type(model_type: str) -> Exception:
    """What AutoConfig raises for a model type it does not know."""
    return certain(
        ValueError(
            f"The checkpoint you are trying to load has model type `{model_type}` but Transformers does not recognize this "
            "architecture. This could be because of an issue with the checkpoint, or because your version of Transformers is "
            "out of date."
        )
    )
