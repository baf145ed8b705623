"""Which class a checkpoint is loaded with, as the Auto classes would pick it."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.gate import has
from loadproof.interpret.release.auto_classes import ConfigMapping, config_class_of, table
from loadproof.interpret.release.ports import World

_TABLES = (
    "CAUSAL_LM",
    "IMAGE_TEXT_TO_TEXT",
    "MULTIMODAL_LM",
    "SEQ_TO_SEQ_CAUSAL_LM",
    "SPEECH_SEQ_2_SEQ",
    "PRETRAINING",
    "VISION_2_SEQ",
    "MASKED_LM",
)


def choose_class(world: World, raw: dict[str, Any], model_type: str) -> str | None:
    """The first of `architectures` that the release defines, else what its tables give for the model type."""
    stated = raw.get("architectures")
    for name in stated if isinstance(stated, list) else ():
        if isinstance(name, str) and _fits(world, name, model_type):
            return name
    return next(iter(classes_of(world, model_type)), None)


def classes_of(world: World, model_type: str) -> list[str]:
    """The classes that the release's tables give for a model type, the one that generates text first."""
    names = (*(f"MODEL_FOR_{t}_MAPPING_NAMES" for t in _TABLES), "MODEL_MAPPING_NAMES")
    found = [table(world, name).get(model_type) for name in names]
    return list(dict.fromkeys(str(f if isinstance(f, str) else f[0]) for f in found if f))


def _fits(world: World, name: str, model_type: str) -> bool:
    """The release has this class, and it takes the configuration of this model type or its text part."""
    cls = world.find_class(name, model_type)
    if cls is None:
        return False
    config, wanted = ConfigMapping(world)[model_type], config_class_of(cls)
    sub = config.sub_configs if has(config, "sub_configs") else {}
    return wanted is None or issubclass(config, wanted) or issubclass(wanted, config) or wanted in sub.values()
