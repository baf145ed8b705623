"""Error texts with placeholders, turned into regular expressions.

Placeholders: ``<name>`` a tensor or module name, ``<shape>`` a tensor size in any spelling, ``<n>`` a number,
``<word>`` one word, ``<list>`` the rest of the line (names in it are collected), ``<..>`` anything within the line,
``<a|b>`` one of the texts. A space matches any white space. Quotes and back-ticks match each other or nothing at all
(the border of a word): chat programs change and lose them, so no pattern may depend on one.
"""

from __future__ import annotations

import re
from functools import cache

_HOLE = re.compile(r"<(?:\.\.|[a-z]+|[^<>|\n]*(?:\|[^<>|\n]*)+)>")
_OPENING, _CLOSING = "(?:['\"`]|(?<![\\w.]))", "(?:['\"`]|(?![\\w-]|\\.\\w))"
_APOSTROPHE = "['\"`]?"
SHAPE = r"(?:torch\.Size\(\[[\d, ]{0,80}\]\)|\[[-\d, x]{0,80}\]|\([\d, ]{1,80}\)|\{[\d, ]{0,80}\})"
_NO_NAME = r"\s'\"`,;{}\[\]()|"
NAME = rf"[^{_NO_NAME}]{{1,400}}"
NAME_BEGINS = rf"(?<![^{_NO_NAME}])"  # a name is tried from its first character only: linear time
_HOLES = {
    "<..>": r"[^\n]{0,400}?",  # every repeat is bounded: hostile lines must not cost quadratic time
    "<n>": r"(?<![\d,])-?[\d,]{1,40}",
    "<shape>": SHAPE,
    "<word>": r"(?<![\w.+/-])[\w.+/-]{1,200}",
    "<list>": r"(?P<list>[^\n]{0,3000})",
    "<name>": rf"{NAME_BEGINS}(?P<name>{NAME})",
}


@cache
def compile_text(text: str) -> re.Pattern[str]:
    """The regular expression of one pattern; searched, not anchored. A second ``<name>`` is not captured."""
    pieces: list[str] = []
    end = 0
    used: set[str] = set()
    for hole in _HOLE.finditer(text):
        pieces.append(_literal(text[end : hole.start()], behind_hole=end > 0))
        pieces.append(_hole(hole.group(), used))
        end = hole.end()
    pieces.append(_literal(text[end:], behind_hole=end > 0))
    return re.compile("".join(pieces))


def _hole(hole: str, used: set[str]) -> str:
    if "|" in hole:
        return "(?:" + "|".join(_literal(option) for option in hole[1:-1].split("|")) + ")"
    expression = _HOLES[hole]
    if hole in used:
        return re.sub(r"\?P<\w+>", "?:", expression)
    used.add(hole)
    return expression


def _literal(text: str, *, behind_hole: bool = False) -> str:
    out: list[str] = []
    done = "<" if behind_hole else ""
    for part in re.split(r"(\s+|['\"`])", text):
        if part.isspace():
            out.append(r"\s{1,200}+")
        elif part in ("'", '"', "`"):
            out.append(_quote(done[-1:], text[len(done) - behind_hole + 1 :][:1]))
        else:
            out.append(re.escape(part))
        done += part
    return "".join(out)


def _quote(before: str, after: str) -> str:
    """What a quote of a pattern matches, by the characters around it: an opening one, a closing one, can't."""
    if before.isalnum() and after.isalnum():
        return _APOSTROPHE
    return _OPENING if not before or before in " \n([{=:,/" else _CLOSING


@cache
def anchor(text: str) -> str:
    """The longest plain piece of a pattern: a line without it cannot match, which is cheap to test."""
    pieces = re.split(r"<(?:\.\.|[a-z]+|[^<>|\n]*(?:\|[^<>|\n]*)+)>|\s+|['\"`]", text)
    return max(pieces, key=len)


@cache
def weight(text: str) -> int:
    """How specific a pattern is: the number of its plain characters."""
    return len(_HOLE.sub("", text))
