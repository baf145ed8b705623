"""Text without which a pattern cannot match, so that most names need not be searched at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from re import _constants as kinds  # type: ignore[attr-defined]  # the standard library's own reading of patterns
from re import _parser  # type: ignore[attr-defined]
from typing import Any


@cache
def needles(pattern: str) -> tuple[str, ...] | None:
    """Texts of which one stands in every name that `pattern` matches; None where no such text is known.

    Digits are left out: where a name has an index, its form has a marker.
    """
    parsed = _parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE:
        return None
    return _of_sequence(list(parsed))


def _of_sequence(items: Iterable[tuple[Any, Any]]) -> tuple[str, ...] | None:
    """The best of what the parts of a sequence demand: the one whose shortest text is longest."""
    demands, run = list[tuple[str, ...]](), ""
    for kind, value in items:
        if kind is kinds.LITERAL and not chr(value).isdigit():
            run += chr(value)
            continue
        demands, run = [*demands, *([(run,)] if run else ())], ""
        inner = _of_part(kind, value)
        demands += [inner] if inner else []
    demands += [(run,)] if run else []
    return max(demands, key=lambda texts: min(map(len, texts)), default=None)


def _of_part(kind: Any, value: Any) -> tuple[str, ...] | None:
    if kind is kinds.SUBPATTERN:
        _, added, _, inner = value
        return None if added & re.IGNORECASE else _of_sequence(list(inner))
    if kind is kinds.BRANCH:
        found = [_of_sequence(list(branch)) for branch in value[1]]
        return None if None in found else tuple(text for texts in found if texts for text in texts)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) and value[0] > 0:
        return _of_sequence(list(value[2]))
    return None
