"""Regular expressions that a config hands to the library: refused when they may take exponential time (CWE-1333)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loadproof.config.problems import PATTERN, fault
from loadproof.core.checkpoint import Problem

MAX_PATTERN = 1_000  # characters
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!<][=!]?|[()]|[*+]|\{[0-9]+,[0-9]*\}|.", re.DOTALL)


def may_explode(pattern: str) -> bool:
    """Whether an unbounded repeat is repeated without bound: ``(a+)+``, ``(.*)*``. Plain patterns never are."""
    repeats = [False]  # per open group: does it hold an unbounded repeat?
    closed = False  # the last token closed a group that holds one
    for token in _TOKEN.findall(pattern):
        if token[0] == "(":
            repeats.append(False)
            closed = False
        elif token == ")":
            closed = len(repeats) > 1 and repeats.pop()
            repeats[-1] = repeats[-1] or closed
        elif token in "*+" or (token[0] == "{" and token.endswith(",}")):
            if closed:
                return True
            repeats[-1] = True
            closed = False
        else:
            closed = False
    return False


def check_patterns(value: Any, file: str, field: str) -> Iterator[Problem]:
    """Problems of every ``re:`` pattern under `value` (a quantization config: ignore lists and targets)."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str) and item.startswith("re:"):
            yield from check_pattern(item[3:], file, field)
        elif isinstance(item, (list, dict)):
            pending.extend(item.values() if isinstance(item, dict) else item)


def check_pattern(pattern: str, file: str, field: str) -> Iterator[Problem]:
    """At most one problem: too long, or a repeat of a repeat."""
    if len(pattern) > MAX_PATTERN:
        text = f"{field} holds a regular expression of {len(pattern):,} characters, more than {MAX_PATTERN:,}"
        yield fault(PATTERN, file, "length", text, expected=field)
    elif may_explode(pattern):
        text = f"{field} holds a regular expression that may take exponential time"
        yield fault(PATTERN, file, "exponential", text, found=pattern, expected=field)
