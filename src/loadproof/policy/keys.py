"""The keys of a policy: what each may hold, and what holds where nobody says anything."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loadproof.core.device import device_of
from loadproof.core.severity import NEVER, SEVERITIES

Value = str | bool | None | tuple[str, ...] | dict[str, str]
Kind = Literal["text", "path", "switch", "choice", "codes", "severities", "device"]


class Key(Struct, frozen=True):
    """`default` is what holds without a policy; `choices` those of a ``choice``."""

    kind: Kind
    meaning: str
    default: Value = None
    choices: tuple[str, ...] = ()


KEYS = {
    "reader": Key("text", "the library that will load it, NAME[@VERSION]", "transformers"),
    "source": Key("path", "source folder of another release of the library"),
    "class": Key("text", "model class, in place of what the Auto class picks"),
    "device": Key("device", "the machine to judge for: cpu, cuda, cuda:8.9, mps, ..."),
    "follow-links": Key("switch", "follow links out of the folder", True),
    "fail-on": Key("choice", "findings that fail", "error", (*SEVERITIES, NEVER)),
    "allow-inconclusive": Key("switch", "no failure where nothing that could be judged is wrong", False),
    "select": Key("codes", "the only codes, slugs or families (LP3) that are reported", ()),
    "ignore": Key("codes", "codes, slugs or families that are accepted", ()),
    "severity": Key("severities", "another severity for codes", {}),
    "baseline": Key("path", "file of accepted findings, written by 'loadproof baseline'"),
}
ADDED = ("ignore", "severity")  # an override and the command line add to these; every other key is replaced


def wrong_value(name: str, value: object) -> str | None:
    """What a key should hold, where this is no such value."""
    key = KEYS[name]
    if key.kind in ("text", "path"):
        return None if isinstance(value, str) and value else "a text"
    if key.kind == "device":
        return None if isinstance(value, str) and _is_device(value) else "a device, e.g. cpu, cuda or cuda:8.9"
    if key.kind == "switch":
        return None if isinstance(value, bool) else "true or false"
    if key.kind == "choice":
        return None if value in key.choices else f"one of: {', '.join(key.choices)}"
    if key.kind == "codes":
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        return None if is_list else 'a list of codes, e.g. ["LP301", "LP3"]'
    is_table = isinstance(value, dict) and all(one in SEVERITIES for one in value.values())
    return None if is_table else f'a table of codes, e.g. {{ LP301 = "warning" }}, with {", ".join(SEVERITIES)}'


def _is_device(word: str) -> bool:
    try:
        device_of(word)
    except ValueError:
        return False
    return True
