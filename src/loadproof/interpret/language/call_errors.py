"""What Python says when the arguments of a call do not fit a definition."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.scope import CLASS


def full_name(name: str, scope: Any) -> str:
    """`Class.method` where the function stands in a class."""
    owner = scope.parent.get(CLASS) if scope.parent is not None else None
    return name if owner is None else f"{owner.__name__}.{name}"


def too_many(name: str, known: int, with_default: int, given: int) -> TypeError:
    wanted = f"from {known - with_default} to {known}" if with_default else str(known)
    plural = "" if wanted == "1" else "s"
    return TypeError(
        f"{name}() takes {wanted} positional argument{plural} but {given} {'was' if given == 1 else 'were'} given"
    )


def missing(name: str, names: list[str], kind: str = "positional") -> TypeError:
    shown = [f"'{n}'" for n in names]
    text = " and ".join(shown) if len(shown) < 3 else ", ".join(shown[:-1]) + f", and {shown[-1]}"
    plural = "" if len(names) == 1 else "s"
    return TypeError(f"{name}() missing {len(names)} required {kind} argument{plural}: {text}")
