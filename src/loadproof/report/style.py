"""Colour: a handful of roles, the terminal's own sixteen colours, and when to use them at all."""

from __future__ import annotations

import os
import re
from typing import Literal, TextIO

ColorChoice = Literal["auto", "always", "never"]
Span = tuple[str, str]  # (role, text)
Line = tuple[Span, ...]

_WORD = re.compile(r"\S+\s*|\s+")
_SGR = {
    "": "",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "good": "1;32",
    "bold": "1",
    "place": "36",
    "dim": "2",
    "mark": "34",
    "differs": "1;4;31",
    "command": "1;36",
}


def wants_color(choice: ColorChoice, stream: TextIO) -> bool:
    """Whether to colour: ``--color`` first, then NO_COLOR, FORCE_COLOR (or CLICOLOR_FORCE), then: is it a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody sits before it; a stream of a notebook or a test may not even know the question."""
    return bool(getattr(stream, "isatty", bool)())


def paint(line: Line, color: bool) -> str:
    """One line as text, with ANSI styles if `color`."""
    if not color:
        return "".join(text for _, text in line).rstrip()
    return "".join(f"\x1b[{_SGR[role]}m{text}\x1b[0m" if _SGR[role] and text else text for role, text in line)


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal behind `stream`, None when it is none (a file or pipe gets whole lines)."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if is_terminal(stream) else None
    except (OSError, ValueError, AttributeError):
        return None


def fold_line(line: Line, width: int | None, indent: int) -> list[Line]:
    """The line in pieces of at most `width` columns, broken at spaces; all but the first are indented.

    A command, and a word that is longer than a line, stay whole, so that they can be copied.
    """
    if width is None or sum(len(text) for _, text in line) <= width or width <= indent + 20:
        return [line]
    pieces: list[list[Span]] = [[]]
    column = 0
    for role, text in line:
        for word in [text] if role == "command" else _WORD.findall(text):
            if column + len(word.rstrip()) > width and column > indent and not word.isspace():
                pieces[-1][-1] = (pieces[-1][-1][0], pieces[-1][-1][1].rstrip())
                pieces.append([("", " " * indent)])
                column, word = indent, word.lstrip()
            pieces[-1].append((role, word))
            column += len(word)
    return [tuple(piece) for piece in pieces]
