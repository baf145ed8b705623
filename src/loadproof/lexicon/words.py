"""Word lists as regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Words = Mapping[str, str]  # a word, and where it comes from


def any_of(words: Iterable[str]) -> str:
    """An expression for any of the words, the longest first, without a group around it."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))


def part_of(words: Iterable[str]) -> str:
    """An expression for any of the words as a whole part of a dotted name."""
    return rf"(?:^|\.)(?:{any_of(words)})(?:\.|$)"
