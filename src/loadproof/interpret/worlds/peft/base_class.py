"""Which class of the base an adapter is put on, and on which others of the same base it might be."""

from __future__ import annotations

from typing import Any

from loadproof.interpret import building
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.release.auto_classes import table
from loadproof.interpret.release.class_choice import choose_class, classes_of
from loadproof.interpret.worlds.peft.world import PeftWorld

# task_type -> the table of the Auto class that people load such a base with (peft/auto.py of 0.21)
_TABLES = {
    "SEQ_CLS": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "TOKEN_CLS": "MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES",
    "QUESTION_ANS": "MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES",
    "SEQ_2_SEQ_LM": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "FEATURE_EXTRACTION": "MODEL_MAPPING_NAMES",
}
_GENERATING = ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES")


def class_of_base(world: PeftWorld, base: dict[str, Any], config: Any) -> str:
    """The class that the adapter's configuration names or its task needs, else that of the base's config.json.

    Raises SourceMissing where the release has none.
    """
    model_type = building.effective_type(base, world)
    world.begin(model_type)
    if model_type not in world.config_names:
        raise building.unknown_type(model_type)
    config = config if isinstance(config, dict) else {}
    stated = _stated(world, config, model_type) or _by_task(world, base, config, model_type)
    return stated or choose_class(world, base, model_type) or building.choose(world, base, model_type)


def _stated(world: PeftWorld, config: dict[str, Any], model_type: str) -> str | None:
    """`auto_mapping.base_model_class`: peft writes it where no task is given."""
    mapping = config.get("auto_mapping")
    name = mapping.get("base_model_class") if isinstance(mapping, dict) else None
    is_known = isinstance(name, str) and world.find_class(name, model_type) is not None
    return name if is_known and config.get("task_type") is None else None


def _by_task(world: PeftWorld, base: dict[str, Any], config: dict[str, Any], model_type: str) -> str | None:
    name = _TABLES.get(str(config.get("task_type")))
    wanted = _entry(world, name, model_type) if name else None
    stated = base.get("architectures")
    is_stated = isinstance(stated, list) and wanted in stated
    return wanted if wanted is not None and not is_stated else None


def _entry(world: PeftWorld, name: str, model_type: str) -> str | None:
    found = table(world, name).get(model_type)
    return None if not found else str(found if isinstance(found, str) else found[0])


def others_of_base(world: PeftWorld, base: dict[str, Any], chosen: str) -> tuple[str, ...]:
    """Further classes that generate text with this base: the text model of a multimodal one, and the other way round."""
    model_type = building.effective_type(base, world)
    text = base.get("text_config")
    types = [
        model_type,
        *([text["model_type"]] if isinstance(text, dict) and isinstance(text.get("model_type"), str) else []),
    ]
    found = [name for kind in types for word in _GENERATING if (name := _entry(world, word, kind)) is not None]
    found += classes_of(world, model_type)[:1]
    return tuple(dict.fromkeys(name for name in found if name != chosen))


def known_others(world: PeftWorld, base: dict[str, Any], chosen: str) -> tuple[str, ...]:
    """The same; none where the tables of the release cannot be read."""
    try:
        return others_of_base(world, base, chosen)
    except NotUnderstood:
        return ()
