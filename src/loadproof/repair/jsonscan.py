"""Where things stand in a JSON text: the spans of keys and values, without building values.

The text must be valid JSON; `loadproof.repair.jsontext` parses it first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from loadproof.core.config import JsonPath

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
# a member with a plain value, up to where the next member begins or the object ends
_SIMPLE = re.compile(
    r'("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s,\]}{\["]+)[ \t\n\r]*(?:,[ \t\n\r]*|(?=}))',
    re.DOTALL,
)
_BRACKET = re.compile(r'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)


class JsonEditError(ValueError):
    """The edit cannot be made; the message says why."""


class Member(NamedTuple):
    """One member of an object or list: its key and the text spans [begin, end) of key and value."""

    key: str | int
    start: int  # where the member begins: at its key, or at its value in a list
    value: int
    end: int


def members_of(text: str, position: int) -> Iterator[Member]:
    """The members of the object or list that begins at `position`."""
    is_object = text[position] == "{"
    at = skip(text, position + 1)
    index = 0
    while text[at] not in "}]":
        simple = _SIMPLE.match(text, at) if is_object else None
        if simple:  # most members are, and some files have a hundred thousand
            yield Member(_key(simple.group(1)), at, simple.start(2), simple.end(2))
            at = simple.end()
            continue
        start, key = at, index
        if is_object:
            at = string_end(text, at)
            name = _key(text[start:at])
            at = skip(text, skip(text, at) + 1)
        end = end_of(text, at)
        yield Member(name if is_object else key, start, at, end)
        at = skip(text, end)
        if text[at] == ",":
            at = skip(text, at + 1)
        index += 1


def _key(quoted: str) -> str:
    return str(json.loads(quoted)) if "\\" in quoted else quoted[1:-1]


def end_of(text: str, position: int) -> int:
    """Where the value that begins at `position` ends."""
    first = text[position]
    if first == '"':
        return string_end(text, position)
    if first not in "{[":
        found = _SCALAR.match(text, position)
        return found.end() if found else position
    depth = 0
    for token in _BRACKET.finditer(text, position):
        if token.group() in ("{", "["):
            depth += 1
        elif token.group() in ("}", "]"):
            depth -= 1
            if depth == 0:
                return token.end()
    raise JsonEditError("unbalanced brackets")


def find(text: str, path: JsonPath) -> int:
    position = skip(text, 0)
    for step in path:
        found = [m.value for m in members_of(text, position) if m.key == step] if text[position] in "{[" else []
        if not found:
            raise JsonEditError(f"there is no {show_path(path)}")
        position = found[0]
    return position


def skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def string_end(text: str, position: int) -> int:
    found = _STRING.match(text, position)
    if not found:
        raise JsonEditError(f"expected a string at character {position}")
    return found.end()


def show_path(path: JsonPath) -> str:
    """``text_config.layer_types[20]``"""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the document"
