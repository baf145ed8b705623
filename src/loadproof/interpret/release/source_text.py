"""A source text cut into its statements without parsing it: parsing everything would cost more than all the rest.

Strings and comments are skipped by one regular expression, so that a line of a docstring is never taken for code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# A string that does not end takes the rest of the text or line along: failing there instead would be tried again at each
# of its characters, and take quadratic time.
_SKIP = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:""")?'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?|' + r"'(?:[^'\\\n]|\\.)*'?|#[^\n]*"
)
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
def _starts(indent: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_SKIP})|\n{indent}([A-Za-z_@])", re.S)


def split(text: str, first_line: int = 1, indent: str = "") -> list[Chunk]:
    """The statements of a text at one indentation; what stands before the first one is dropped."""
    text = "\n" + text
    positions = [m.start(1) for m in _starts(indent).finditer(text) if m.group(1)]
    starts: list[int] = []
    heads: list[int] = []
    for at in positions:
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
