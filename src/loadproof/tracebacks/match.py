"""Which entries of the knowledge base a line matches."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from msgspec import Struct

from loadproof.tracebacks.base import Entry
from loadproof.tracebacks.knowledge import entries, own_entries
from loadproof.tracebacks.knowledge.logs import logs
from loadproof.tracebacks.patterns import NAME, anchor, compile_text, weight

_LISTED = re.compile(rf"['\"]({NAME})['\"]|(?<![\w.])([A-Za-z_][\w-]{{0,120}}(?:\.[\w-]{{1,120}}){{1,40}})")
OWN = "[LP"  # begins the patterns of loadproof's own messages, too many to be tried on every line
LONGEST = 3000  # characters of a line that patterns are searched in: bounds the time that a hostile line can take


class Hit(Struct, frozen=True):
    """One entry matched by one line. `weight` is how specific the pattern is."""

    entry: Entry
    text: str
    names: tuple[str, ...]
    weight: int
    line: str  # the line it was found in


@cache
def _by_anchor(*, own: bool) -> tuple[tuple[str, tuple[tuple[str, Entry], ...]], ...]:
    """Patterns by their anchor: those of loadproof's own messages, or all others."""
    groups: dict[str, list[tuple[str, Entry]]] = {}
    for entry in own_entries() if own else entries():
        for text in entry.patterns:
            groups.setdefault(anchor(text), []).append((text, entry))
    return tuple((word, tuple(group)) for word, group in groups.items())


@lru_cache(maxsize=4096)
def match_line(text: str) -> tuple[Hit, ...]:
    """Entries whose pattern occurs in the text, the most specific first."""
    hits = []
    text = text[:LONGEST]
    for word, group in (*_by_anchor(own=True), *_by_anchor(own=False)) if OWN in text else _by_anchor(own=False):
        if word not in text:
            continue
        for pattern, entry in group:
            found = compile_text(pattern).search(text)
            if found:
                hits.append(Hit(entry, pattern, _names(found), weight(pattern), text))
    return tuple(sorted(hits, key=lambda hit: -hit.weight))


def recognise(kind: str, message: str) -> Hit | None:
    """The most specific entry for an exception, None when nothing but a bare type is known."""
    short = kind.rsplit(".", 1)[-1]
    hits = match_line(f"{short}: {message}" if message else short)
    return next((hit for hit in hits if not hit.entry.wrapper), None)


def is_wrapper(kind: str, message: str) -> bool:
    """Whether an exception only reports that another process or layer failed."""
    return bool(_wrappers().search(f"{kind}: {message[:300]}"))


@cache
def _wrappers() -> re.Pattern[str]:
    return re.compile("|".join(logs().wrappers))


def _names(found: re.Match[str]) -> tuple[str, ...]:
    groups = found.groupdict()
    names = [groups["name"].rstrip(".,:")] if groups.get("name") else []
    if groups.get("list"):
        names += [one or two for one, two in _LISTED.findall(groups["list"])]
    return tuple(names)
