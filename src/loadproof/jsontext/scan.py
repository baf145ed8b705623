"""Where things stand in a JSON text: the one scan of objects and lists, member by member, with the spans of each.

A member is found when it is asked for and its value is skipped, or read by the function that the caller gives: nothing
is built that nobody looks at. Every step is linear in the text that it passes; nesting costs a counter, no stack.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable, Iterator
from json.decoder import JSONDecodeError
from typing import Any, NamedTuple

from loadproof.core.config import JsonPath

_scan_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
# A member with a plain value, up to where the next member begins or the object ends. No backslash, so no escape.
_SIMPLE = re.compile(
    r'"([^"\\]*+)"\s*+:\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s,\]}{\["]++)[ \t\n\r]*+(?:(,)[ \t\n\r]*+|(?=}))', re.DOTALL
)
_BRACKET = re.compile(r'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)

ReadValue = Callable[[str, int], tuple[Any, int]]  # (text, begin) -> (value, end)


class Member(NamedTuple):
    """One member of an object or list: its key, the text spans [begin, end) of key and value, and what was read."""

    key: str | int
    start: int  # where the member begins: at its key, or at its value in a list
    value: int
    end: int
    read: Any = None


def skip_value(text: str, position: int) -> tuple[None, int]:
    """The value is passed over, unread."""
    return None, end_of(text, position)


def members(text: str, position: int, read: ReadValue = skip_value) -> Iterator[Member]:
    """The members of the object or list that begins at `position`.

    Raises JSONDecodeError where the text is no JSON; values are judged by `read` only.
    """
    is_object = text[position] == "{"
    closing, index = ("}" if is_object else "]"), 0
    at = skip(text, position + 1)
    if text[at : at + 1] == closing:
        return
    while True:
        if is_object and read is skip_value and (simple := _SIMPLE.match(text, at)):
            yield Member(simple[1], at, simple.start(2), simple.end(2))
            at = simple.end()
            if simple[3]:
                continue
            return
        key, value = _key(text, at) if is_object else (index, at)
        found, end = read(text, value)
        yield Member(key, at, value, end, found)
        at = skip(text, end)
        if text[at : at + 1] == closing:
            return
        if text[at : at + 1] != ",":
            raise JSONDecodeError(f"a comma or {closing} must stand here", text, at)
        at, index = skip(text, at + 1), index + 1


def _key(text: str, at: int) -> tuple[str, int]:
    """The key that begins at `at`, and where its value begins."""
    if text[at : at + 1] != '"':
        raise JSONDecodeError("a name in double quotes must stand here", text, at)
    key, after = _scan_string(text, at + 1, True)
    after = skip(text, after)
    if text[after : after + 1] != ":":
        raise JSONDecodeError("a colon must stand here", text, after)
    return key, skip(text, after + 1)


def end_of(text: str, position: int) -> int:
    """Where the value that begins at `position` ends. Raises JSONDecodeError where it does not."""
    first = text[position : position + 1]
    if first == '"':
        return string_end(text, position)
    if first not in ("{", "["):
        found = _SCALAR.match(text, position)
        return found.end() if found else position
    depth = 0
    for token in _BRACKET.finditer(text, position):
        bracket = token.group()
        depth += (bracket in ("{", "[")) - (bracket in ("}", "]"))
        if depth == 0:
            return token.end()
    raise JSONDecodeError("the bracket is never closed", text, position)


def string_end(text: str, position: int) -> int:
    """Where the string that begins at `position` ends. Raises JSONDecodeError."""
    return _scan_string(text, position + 1, False)[1]


def find(text: str, path: JsonPath) -> Member | None:
    """The member at `path`, None where there is none; of a key that stands twice the last, as every reader takes it.

    Raises JSONDecodeError where the text on the way is no JSON.
    """
    at = skip(text, 0)
    found = Member("", at, at, len(text))
    for step in path:
        if text[found.value : found.value + 1] not in ("{", "["):
            return None
        inner = [member for member in members(text, found.value) if member.key == step]
        if not inner:
            return None
        found = inner[-1]
    return found


def skip(text: str, position: int) -> int:
    """The first position from `position` on that holds no white space."""
    return _SPACE.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing as well
