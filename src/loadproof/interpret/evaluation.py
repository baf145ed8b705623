"""One evaluation from start to end."""

from __future__ import annotations

from typing import Any

import msgspec

from loadproof.config.quantization import quantization_entries
from loadproof.core.expectation import Expectation
from loadproof.interpret import building
from loadproof.interpret.describe import describe
from loadproof.interpret.failures import meaning
from loadproof.interpret.release import auto_map
from loadproof.interpret.release.quantizers import known_methods
from loadproof.interpret.release.world import World


def evaluate(world: World, raw: dict[str, Any], blank: Expectation, class_name: str | None) -> Expectation:
    """What the model class expects, in this process. `world` is used by no other evaluation where it holds strangers' text."""
    with building.room_to_recurse():
        found = _evaluate(world, raw, blank, class_name)
        if quantization_entries(raw):
            return msgspec.structs.replace(found, quantizers=known_methods(world.files))
        return found


def _evaluate(world: World, raw: dict[str, Any], blank: Expectation, class_name: str | None) -> Expectation:
    try:
        model_type = building.effective_type(raw, world)
        blank = msgspec.structs.replace(blank, model_type=model_type)
        if building.needs_own_code(world, raw, class_name):
            named = auto_map.named_class(class_name, raw)
            blank = msgspec.structs.replace(blank, source="remote-code", class_name=named)
            model = building.build_remote(world, raw, class_name)
        elif model_type not in world.config_names:
            raise building.unknown_type(model_type) if model_type else _no_type()
        else:
            name = class_name or building.choose(world, raw, model_type)
            blank = msgspec.structs.replace(blank, class_name=name)
            model = building.build(world, raw, model_type, name)
        found = msgspec.structs.replace(blank, **describe(world, model))
        world.budget.settle()
        return found
    except Exception as problem:
        return meaning(blank, problem, world)


def _no_type() -> Exception:
    from loadproof.interpret.language.errors import certain

    return certain(ValueError("Unrecognized model. Should have a `model_type` key in its config.json."))
