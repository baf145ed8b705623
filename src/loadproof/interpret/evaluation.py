"""One evaluation from start to end, and what its exceptions mean."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from loadproof.config.quantization import quantization_entries
from loadproof.core.expectation import Expectation
from loadproof.interpret import building
from loadproof.interpret.describe import describe
from loadproof.interpret.language.errors import LimitReached, NotUnderstood, is_certain
from loadproof.interpret.language.objects import Open
from loadproof.interpret.release import auto_map
from loadproof.interpret.release.classes import OpaqueBase
from loadproof.interpret.release.quantizers import known_methods
from loadproof.interpret.release.world import World

# Exceptions of plain Python operations on plain data: the library meets them at the same place.
_PLAIN = (
    *(TypeError, KeyError, IndexError, AttributeError, ValueError, ZeroDivisionError, AssertionError, RuntimeError),
    StopIteration,
)
_OURS = re.compile(r"\bloadproof\b|is(?:instance|subclass)\(\) arg [12]")  # a stand-in where the library has a class
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


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
        return _failed(blank, problem, world)


def _no_type() -> Exception:
    from loadproof.interpret.language.errors import certain

    return certain(ValueError("Unrecognized model. Should have a `model_type` key in its config.json."))


def _failed(blank: Expectation, problem: Exception, world: World) -> Expectation:
    """The library's own exception, or why nothing can be said."""
    if world.budget.spent:
        problem = LimitReached(world.budget.spent)
    said = _said(problem)
    text = f"{type(problem).__name__}: {said}"
    origin = world.budget.origin(problem)
    place = f" ({origin})" if origin else ""
    if isinstance(problem, NotUnderstood):
        known = f"model type `{blank.model_type}`: " if blank.source == "remote-code" else ""
        return msgspec.structs.replace(blank, inconclusive=f"{known}{said}{_unless_said(place, said)}")
    if isinstance(problem, MemoryError):
        return msgspec.structs.replace(blank, inconclusive=f"the model source asks for too much memory{place}")
    if isinstance(problem, RecursionError):
        return msgspec.structs.replace(blank, inconclusive=f"the model source nests too deeply{place}")
    if isinstance(problem, SyntaxError):
        return msgspec.structs.replace(blank, inconclusive=f"the model source cannot be parsed: {said[:300]}")
    if _of_a_stand_in(problem, said):
        return msgspec.structs.replace(
            blank, inconclusive=f"the model source needs what is not modelled: {said[:300]}{place}"
        )
    if is_certain(problem) or (isinstance(problem, _PLAIN) and blank.source == "installed"):
        return msgspec.structs.replace(blank, raises=text[:2_000], raises_at=origin)
    return msgspec.structs.replace(blank, inconclusive=f"reading the model source failed: {text[:500]}{place}")


def _of_a_stand_in(problem: Exception, said: str) -> bool:
    """Whether an operation failed on something that stands for a part of torch or of the library: there it may succeed."""
    owner = getattr(problem, "obj", None) if isinstance(problem, AttributeError) else None
    kind = owner if isinstance(owner, type) else type(owner)
    ours = issubclass(kind, Open) and ("__source_class__" not in kind.__dict__ or issubclass(kind, OpaqueBase))
    return ours or _OURS.search(said) is not None


def _said(problem: Exception) -> str:
    """The exception's text, without addresses. An evaluated exception may have a `__str__` of its own, which may fail."""
    try:
        return _ADDRESS.sub("", str.__str__(str(problem)))
    except Exception:
        return "(its text cannot be made)"


def _unless_said(place: str, said: str) -> str:
    return "" if place.strip(" ()") in said else place
