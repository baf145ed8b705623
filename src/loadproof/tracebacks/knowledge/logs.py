"""What every log is searched for: phases, launch flags, exceptions that only wrap others, errors of no checkpoint."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct, json

from loadproof.tracebacks.knowledge import FOLDER

_LONGEST = 2_000  # characters of one line that are searched


class Sign(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    sign: str


class Logs(Struct, frozen=True, forbid_unknown_fields=True):
    phases: tuple[Sign, ...]  # searched in stack frames from the innermost outwards, then in the message
    flags: tuple[Sign, ...]  # the first group that matched is the value
    asks_file: str  # lines of code that look a name up among the stored ones
    asks_model: str  # ... and among the parameters of the model
    wrappers: tuple[str, ...]  # exceptions that only report that another process or layer failed


class Elsewhere(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that no checkpoint causes: what it is, what to do, the expressions that say so."""

    what: str
    advice: str
    signs: tuple[str, ...]


@cache
def logs() -> Logs:
    return json.decode((FOLDER / "logs.json").read_bytes(), type=Logs)


@cache
def _all_elsewhere() -> tuple[tuple[Elsewhere, re.Pattern[str]], ...]:
    found = json.decode((FOLDER / "elsewhere.json").read_bytes(), type=tuple[Elsewhere, ...])
    return tuple((one, re.compile("|".join(one.signs))) for one in found)


def elsewhere(text: str) -> str:
    """``out of memory: use ...`` where the text is no error of a checkpoint; "" where it may be one."""
    start = text[:_LONGEST]
    return next((f"{one.what}: {one.advice}" for one, sign in _all_elsewhere() if sign.search(start)), "")
