"""Where a value stands: the line of a key or list element, found by scanning the text only when it is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from loadproof.config.access import get
from loadproof.core.config import JsonPath, ModelConfig
from loadproof.core.places import Place

_ABSENT = object()
_TOKEN = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*+(?:"|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def line_of(config: ModelConfig, path: JsonPath) -> int | None:
    """1-based line of the key (or list element) at `path`, None if it is not there.

    Of a key that stands twice the last is meant, as for every reader of JSON.
    """
    if get(config, path, _ABSENT) is _ABSENT:
        return None
    found = _only_place(config.text, path)
    if found is None:
        wanted = list(path)
        for here, offset in places(config.text):
            if here == wanted:
                found = offset
    return None if found is None else config.text.count("\n", 0, found) + 1


def _only_place(text: str, path: JsonPath) -> int | None:
    """The offset of a key that stands once in the whole text, None where the text must be scanned to tell."""
    key = path[-1] if path else None
    if not isinstance(key, str) or not key.isidentifier() or not key.isascii() or "\\" in text:
        return None
    offsets = [match.start() for match in re.finditer(rf'"{key}"\s*:', text)]
    return offsets[0] if len(offsets) == 1 else None


def where(config: ModelConfig, path: JsonPath) -> Place:
    """``config.json:37``, or ``config.json`` when the value does not stand there."""
    return Place(config.path or "config.json", line_of(config, path))


def places(text: str) -> Iterator[tuple[list[str | int], int]]:
    """Every key and list element with its offset, in text order. The list is reused: compare, do not keep."""
    path: list[str | int] = []
    lists: list[bool] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        word, first = token.group(), token.group()[0]
        if first in "}]":
            expects_key = False
            if lists and lists.pop() and path:
                path.pop()
            if lists and not lists[-1] and path:
                path.pop()
        elif first == ",":
            expects_key = bool(lists) and not lists[-1]
            if lists and lists[-1]:
                path[-1] = int(path[-1]) + 1
        elif first == ":":
            expects_key = False
        elif expects_key:
            path.append(_unquote(word))
            yield path, token.start()
        else:
            yield from _value(path, lists, token.start())
            if first in "{[":
                lists.append(first == "[")
                expects_key = first == "{"
                if first == "[":
                    path.append(0)
            elif lists and not lists[-1] and path:
                path.pop()


def _value(path: list[str | int], lists: list[bool], offset: int) -> Iterator[tuple[list[str | int], int]]:
    if lists and lists[-1]:
        yield path, offset


def _unquote(word: str) -> str:
    if "\\" not in word:
        return word.strip('"')
    try:
        return str(json.loads(word, strict=False))
    except ValueError:
        return word
