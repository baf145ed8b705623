"""What goes over the two pipes between a child and its parent.

The child asks: one byte of kind, two of length, a text.

    W  what the wall consists of, or N why there is none: the first thing it says; answered with the task
    L  a folder: answered with a line for each entry
    R  a file: answered with its bytes
    A  nothing; then four bytes of length and the answer, the last thing it says

The parent answers: one byte of status, four of length, the content.
"""

from __future__ import annotations

import struct

from loadproof.interpret.release.files import Kind

WALL, NO_WALL, LIST, READ, ANSWER = b"W", b"N", b"L", b"R", b"A"
FOUND, ABSENT, TOO_LONG = b"+", b"-", b"!"
REQUEST, REPLY, LENGTH = struct.Struct("=cH"), struct.Struct("=cI"), struct.Struct("=I")
_LETTERS: dict[Kind, str] = {"folder": "d", "file": "f", "outside": "x"}
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}


def listing(entries: dict[str, Kind]) -> bytes:
    """The entries of a folder, a line each. Names are identifiers: no line end is in one."""
    return "\n".join(_LETTERS[kind] + name for name, kind in entries.items()).encode("utf-8", "surrogatepass")


def entries_of(content: bytes) -> dict[str, Kind]:
    """The entries that `listing` wrote."""
    return {line[1:]: _KINDS[line[0]] for line in content.decode("utf-8", "surrogatepass").split("\n") if line}
