"""Why an evaluation stops. None of these can be caught by the code that is being evaluated."""

from __future__ import annotations

from typing import Any


class NotUnderstood(Exception):  # noqa: N818 - it is an outcome, not a fault
    """Something outside the evaluator's reach; the outcome is `inconclusive`, never a guess."""


class UnsupportedSyntax(NotUnderstood):
    """A statement or expression that the evaluator does not know."""


class ForbiddenAttribute(NotUnderstood):
    """An attribute or call that could lead out of the evaluator."""


class UnknownUsed(NotUnderstood):
    """A value that is not modelled was needed to decide something."""


class UnknownName(NotUnderstood):
    """A name of which it is not known whether it is bound."""


class LimitReached(NotUnderstood):
    """A bound of `limits` was hit; the text names it."""


class SourceMissing(NotUnderstood):
    """A source file, class or table that the evaluated code needs does not exist."""


def certain(problem: Exception) -> Exception:
    """Mark an exception as one the library itself raises: the source says `raise`, or a modelled call refuses."""
    _attributes(problem)["loadproof_certain"] = True
    return problem


def is_certain(problem: BaseException) -> bool:
    return bool(_attributes(problem).get("loadproof_certain"))


def _attributes(problem: BaseException) -> dict[str, Any]:
    """Past what an evaluated exception class may define."""
    found: dict[str, Any] = object.__getattribute__(problem, "__dict__")
    return found
