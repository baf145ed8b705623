"""Where a value stands: the line of a key or list element, found by scanning the text only when it is asked for."""

from __future__ import annotations

from loadproof.config.access import get
from loadproof.core.config import JsonPath, ModelConfig
from loadproof.core.places import Place
from loadproof.jsontext.scan import find

_ABSENT = object()


def line_of(config: ModelConfig, path: JsonPath) -> int | None:
    """1-based line of the key (or list element) at `path`, None if it is not there.

    Of a key that stands twice the last is meant, as for every reader of JSON.
    """
    if get(config, path, _ABSENT) is _ABSENT:
        return None
    try:
        found = find(config.text, path)
    except ValueError:  # the text is no JSON
        return None
    return None if found is None else config.text.count("\n", 0, found.start) + 1


def where(config: ModelConfig, path: JsonPath) -> Place:
    """``config.json:37``, or ``config.json`` when the value does not stand there."""
    return Place(config.path or "config.json", line_of(config, path))
