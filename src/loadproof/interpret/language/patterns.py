"""Regular expressions of evaluated code: compiled at first use, refused where they could run for ever."""

from __future__ import annotations

import re
from math import comb
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.language.values import Sealed, Value

_SUBJECT = 20_000  # characters of a searched text
_LONG_SUBJECT = 900_000  # of one that is searched for a pattern without repeats
_WAYS = 100_000_000  # in which the repeats of a pattern can share a text
_UNBOUNDED = re.compile(r"(?<!\\)[*+]|(?<!\\)\{\d+,\}")


class Pattern(Sealed):
    """A compiled pattern; `re` itself sees it only when it is used (a release defines a thousand of them)."""

    __visible__ = True

    def __init__(self, pattern: str, flags: int = 0) -> None:
        if len(pattern) > limits.PATTERN_LENGTH:
            raise LimitReached(f"regular expression of {len(pattern):,} characters")
        self.pattern, self.flags, self._compiled = pattern, flags, None
        self._repeats = 0  # unbounded ones

    def _real(self) -> re.Pattern[str]:
        """The real pattern. Raises LimitReached when it nests unbounded repeats, re.error when it is no pattern."""
        if self._compiled is None:
            check_repeats(self.pattern, self.flags)
            self._repeats = len(_UNBOUNDED.findall(self.pattern))
            self._compiled = re.compile(self.pattern, self.flags)  # type: ignore[assignment]
        return self._compiled  # type: ignore[return-value]

    def search(self, text: str, *span: int) -> Any:
        return self._real().search(self._bounded(text), *span)

    def match(self, text: str, *span: int) -> Any:
        return self._real().match(self._bounded(text), *span)

    def fullmatch(self, text: str, *span: int) -> Any:
        return self._real().fullmatch(self._bounded(text), *span)

    def _bounded(self, given: Value) -> str:
        """The text, if searching it may not take minutes: unbounded repeats one after the other multiply."""
        text = _checked(given, _LONG_SUBJECT if not self._repeats and "{" not in self.pattern else _SUBJECT)
        if len(text) > _SUBJECT:
            limits.current().charge(len(text), "searched text")
        if self._repeats > 2 and comb(len(text) + self._repeats, self._repeats) > _WAYS:
            raise LimitReached(f"regular expression of {self._repeats} repeats on a text of {len(text):,} characters")
        return text

    def findall(self, text: str) -> Value:
        return self._real().findall(_checked(text))

    def finditer(self, text: str) -> Value:
        return self._real().finditer(_checked(text))

    def split(self, text: str, maxsplit: int = 0) -> Value:
        return self._real().split(_checked(text), maxsplit)

    def sub(self, replacement: Any, text: str, count: int = 0) -> str:
        if isinstance(replacement, str):
            limits.current().charge(len(text) * (len(replacement) + 1), "text")
        return self._real().sub(replacement, _checked(text), count)

    def subn(self, replacement: Any, text: str, count: int = 0) -> tuple[str, int]:
        if isinstance(replacement, str):
            limits.current().charge(len(text) * (len(replacement) + 1), "text")
        return self._real().subn(replacement, _checked(text), count)

    @property
    def groupindex(self) -> dict[str, int]:
        return dict(self._real().groupindex)

    @property
    def groups(self) -> int:
        return self._real().groups


def _checked(given: Value, most: int = _SUBJECT) -> str:
    if not isinstance(given, str):
        raise TypeError(f"expected string or bytes-like object, got '{type(given).__name__}'")
    text: str = str.__str__(given)  # an evaluated subclass might lie about its length
    if len(text) > most:
        raise LimitReached(f"regular expression on a text of {len(text):,} characters")
    return text


def check_repeats(pattern: str, flags: int = 0) -> None:
    """Raise LimitReached for an unbounded repeat inside an unbounded repeat (exponential backtracking)."""
    if pattern.count("*") + pattern.count("+") + pattern.count("{") < 2:
        return
    from re import _parser  # type: ignore[attr-defined]

    _walk(_parser.parse(pattern, flags), False)


def _walk(tree: Any, inside: bool) -> None:
    for op, value in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            repeats = int(value[1]) > 16
            if inside and repeats:
                raise LimitReached("regular expression with nested repeats")
            _walk(value[2], inside or repeats)
        elif name == "SUBPATTERN":
            _walk(value[-1], inside)
        elif name == "BRANCH":
            for branch in value[1]:
                _walk(branch, inside)
        elif name in ("ASSERT", "ASSERT_NOT"):
            _walk(value[1], inside)


def _of(pattern: Any, flags: int = 0) -> Pattern:
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)


def compile_pattern(pattern: Value, flags: int = 0) -> Pattern:
    return _of(pattern, flags)


PATTERNS: dict[str, Value] = {
    "compile": compile_pattern,
    "search": lambda p, text, flags=0: _cached(p, flags).search(text),
    "match": lambda p, text, flags=0: _cached(p, flags).match(text),
    "fullmatch": lambda p, text, flags=0: _cached(p, flags).fullmatch(text),
    "findall": lambda p, text, flags=0: _cached(p, flags).findall(text),
    "finditer": lambda p, text, flags=0: _cached(p, flags).finditer(text),
    "split": lambda p, text, maxsplit=0, flags=0: _cached(p, flags).split(text, maxsplit),
    "sub": lambda p, repl, text, count=0, flags=0: _cached(p, flags).sub(repl, text, count),
    "subn": lambda p, repl, text, count=0, flags=0: _cached(p, flags).subn(repl, text, count),
    "escape": re.escape,
    "Pattern": Pattern,
    "Match": re.Match,
    **{n: int(getattr(re, n)) for n in ["IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII", "I", "M", "S", "X"]},
}
_PATTERN_CACHE: dict[tuple[str, int], Pattern] = {}


def _cached(pattern: Any, flags: int) -> Pattern:
    if isinstance(pattern, Pattern):
        return pattern
    found = _PATTERN_CACHE.get((pattern, flags))
    if found is None:
        if len(_PATTERN_CACHE) > 500:
            _PATTERN_CACHE.clear()
        found = _PATTERN_CACHE[pattern, flags] = Pattern(pattern, flags)
    return found
