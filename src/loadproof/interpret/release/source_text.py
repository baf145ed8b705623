"""A source text cut into its statements without parsing it: parsing everything would cost more than all the rest.

A statement begins where a line begins with its indentation and a letter, outside of strings that span lines. Only where
quotes share a line is the text read token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

# A string that does not end takes the rest of the text or line along: failing there instead would be tried again at each
# of its characters, and take quadratic time.
_SKIP = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:""")?'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?|' + r"'(?:[^'\\\n]|\\.)*'?|#[^\n]*"
)
_TOKEN = re.compile(_SKIP, re.S)
_LONG = ('"""', "'''", "\\\n")
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_DEFINES = re.compile(r"[ \t]*(?:async[ \t]+)?(class|def)[ \t]+(\w+)")
_DECORATOR = re.compile(r"^[ \t]*@([^\n]+)", re.M)
_INDENT = re.compile(r"[ \t]*")


class Chunk(NamedTuple):
    """One statement with its decorators; `line` counts from 1 in the file, `head` is where the decorators end."""

    text: str
    line: int
    head: int = 0

    def defines(self) -> tuple[str, str] | None:
        """("class" or "def", name) of a definition."""
        found = _DEFINES.match(self.text, self.head)
        return (found.group(1), found.group(2)) if found else None

    def decorators(self) -> list[str]:
        return [d.strip() for d in _DECORATOR.findall(self.text, 0, self.head)]


@lru_cache(maxsize=64)
def _line_start(indent: str) -> re.Pattern[str]:
    return re.compile(rf"\n{indent}[A-Za-z_@]")


def _starts(text: str, indent: str) -> list[int]:
    """Offsets of what begins a line at this indentation, outside of strings."""
    starts: list[int] = []
    spans = _long_strings(text)
    begin, end = next(spans)
    for found in _line_start(indent).finditer(text):
        at = found.start()
        while at >= end:
            begin, end = next(spans)
        if at < begin:
            starts.append(found.end() - 1)
    return starts


def _long_strings(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the strings that span lines, in order, then one at the end of the text for ever."""
    at = 0
    marks = {mark: text.find(mark) for mark in _LONG}
    while (position := min((p for p in marks.values() if p >= 0), default=-1)) >= 0:
        token = _token_around(text, position, at)
        if token is None:
            break
        at = token.end()
        if "\n" in token.group():
            yield token.span()
        marks = {mark: text.find(mark, at) if 0 <= p < at else p for mark, p in marks.items()}
    while True:
        yield len(text), len(text) + 1


def _token_around(text: str, position: int, known: int) -> re.Match[str] | None:
    """The first string or comment that ends behind `position`; no string is open at `known`, nor where the line begins."""
    token = _TOKEN.search(text, max(text.rfind("\n", known, position) + 1, known))
    while token is not None and token.end() <= position:
        token = _TOKEN.search(text, token.end())
    return token


def split(text: str, first_line: int = 1, indent: str = "") -> list[Chunk]:
    """The statements of a text at one indentation; what stands before the first one is dropped."""
    text = "\n" + text
    starts: list[int] = []
    heads: list[int] = []
    for at in _starts(text, indent):
        if heads and text[heads[-1]] == "@":
            heads[-1] = at
        elif not _CONTINUES.match(text, at):
            starts.append(at)
            heads.append(at)
    if not starts:
        return []
    chunks, line, last = [], first_line - 1, 0
    for at, head, end in zip(starts, heads, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", last, at)
        last, begin = at, at - len(indent)
        chunks.append(Chunk(text[begin:end], line, head - len(indent) - begin))
    return chunks


def body_indent(text: str, after: int) -> str:
    """Indentation of the first line of code behind `after`."""
    for line in text[after:].split("\n")[1:]:
        if line.strip() and not line.lstrip().startswith("#"):
            found = _INDENT.match(line)
            return found.group() if found else ""
    return ""
