"""On which line of a TOML text a key stands: tomllib does not say. A line that is not found is left out of a message."""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?")
_ARRAY = re.compile(r"\s*\[\[([^\[\]]+)\]\]\s*(?:#.*)?")
_KEY = re.compile(r"""\s*(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*[=.]""")
Path = tuple[str | int, ...]


def lines_of(text: str) -> dict[Path, int]:
    """``("tool", "loadproof", "fail-on")`` -> 12; a table of an array of tables carries its number in the path."""
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _ARRAY.fullmatch(line):
            name = _parts(match[1])
            table = (*name, counts.get(name, 0))
            counts[name] = counts.get(name, 0) + 1
            found.setdefault(table, number)
        elif match := _TABLE.fullmatch(line):
            table = _parts(match[1])
            found.setdefault(table, number)
        elif match := _KEY.match(line):
            found.setdefault((*table, next(part for part in match.groups() if part is not None)), number)
    return found


def _parts(name: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in name.split("."))
