"""What an exception that ended an evaluation means: the library's own exception, or that nothing can be said."""

from __future__ import annotations

import re

import msgspec

from loadproof.core.expectation import Expectation
from loadproof.interpret.language.errors import LimitReached, NotUnderstood, is_certain
from loadproof.interpret.language.gate import own
from loadproof.interpret.language.values import Open
from loadproof.interpret.release.class_bases import OpaqueBase
from loadproof.interpret.release.imports import has_word
from loadproof.interpret.release.plain_failures import is_plain
from loadproof.interpret.release.ports import World
from loadproof.interpret.shapes.module import Module

# Exceptions of plain Python operations on plain data: the library meets them at the same place.
_PLAIN = (
    *(TypeError, KeyError, IndexError, AttributeError, ValueError, ZeroDivisionError, AssertionError, RuntimeError),
    StopIteration,
)
_OURS = re.compile(r"\bloadproof\b|is(?:instance|subclass)\(\) arg [12]")  # a stand-in where the library has a class
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_MIXINS = ("generation.utils", "integrations.peft", "utils.hub", "distributed.mixin")  # seen as empty base classes


def meaning(blank: Expectation, problem: Exception, world: World) -> Expectation:
    """The expectation that an exception leaves: `raises` where the library meets the same one, else `inconclusive`."""
    if world.budget.spent:
        problem = LimitReached(world.budget.spent)
    said = _said(problem)
    text = f"{type(problem).__name__}: {said}"
    origin = world.budget.origin(problem)
    place = f" ({origin})" if origin else ""
    if isinstance(problem, NotUnderstood):
        known = f"model type `{blank.model_type}`: " if blank.source == "remote-code" else ""
        return _unknown(blank, f"{known}{said}{_unless_said(place, said)}")
    if isinstance(problem, MemoryError):
        return _unknown(blank, f"the model source asks for too much memory{place}")
    if isinstance(problem, RecursionError):
        return _unknown(blank, f"the model source nests too deeply{place}")
    if is_certain(problem) or (isinstance(problem, _PLAIN) and _meets_the_same(problem, said, blank, world)):
        return msgspec.structs.replace(blank, raises=text[:2_000], raises_at=origin)
    if isinstance(problem, SyntaxError):
        return _unknown(blank, f"the model source cannot be parsed: {said[:300]}")
    if _of_a_stand_in(problem, said):
        return _unknown(blank, f"the model source needs what is not modelled: {said[:300]}{place}")
    return _unknown(blank, f"reading the model source failed: {text[:500]}{place}")


def _unknown(blank: Expectation, why: str) -> Expectation:
    return msgspec.structs.replace(blank, inconclusive=why)


def _meets_the_same(problem: Exception, said: str, blank: Expectation, world: World) -> bool:
    """Whether the library meets this exception at the same place. Of remote code, only where every value was known."""
    if _of_a_stand_in(problem, said):
        return False
    if blank.source == "installed":
        return True
    return is_plain(problem, said) and not (isinstance(problem, AttributeError) and _of_a_mixin(problem, world))


def _of_a_mixin(problem: AttributeError, world: World) -> bool:
    """Whether a model lacks here what the library's mixins give it, by their text."""
    kind = problem.obj if isinstance(problem.obj, type) else type(problem.obj)
    if not issubclass(kind, Module) or not isinstance(problem.name, str):
        return False
    paths = [world.path(f"transformers.{module}") for module in _MIXINS]
    return any(path is not None and has_word(world, path, problem.name) for path in paths)


def _of_a_stand_in(problem: Exception, said: str) -> bool:
    """Whether an operation failed on something that stands for a part of torch or of the library: there it may succeed."""
    owner = problem.obj if isinstance(problem, AttributeError) else None
    kind = owner if isinstance(owner, type) else type(owner)
    ours = issubclass(kind, Open) and ("__source_class__" not in own(kind) or issubclass(kind, OpaqueBase))
    return ours or _OURS.search(said) is not None


def _said(problem: Exception) -> str:
    """The exception's text, without addresses. An evaluated exception may have a `__str__` of its own, which may fail."""
    try:
        return _ADDRESS.sub("", str.__str__(str(problem)))
    except Exception:
        return "(its text cannot be made)"


def _unless_said(place: str, said: str) -> str:
    return "" if place.strip(" ()") in said else place
