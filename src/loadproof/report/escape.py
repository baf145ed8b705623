"""The one place where text from files becomes printable: no checkpoint can move the cursor or fake a line."""

from __future__ import annotations

LIMIT = 300  # characters of one string from a file
LONG = 4096  # of a path or a command


def clean(text: str, limit: int = LIMIT) -> str:
    """`text` on one line, with every character that a terminal may obey written as an escape, cut at `limit`.

    Escaped are C0, C1 and DEL, bidirectional and zero-width marks, line and paragraph separators, lone surrogates,
    private and unassigned code points (all that `str.isprintable` refuses).
    """
    if len(text) > limit:
        text = f"{text[: limit - 1]}…"
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(ord(character)) for character in text)


def guard_line(line: str) -> str:
    """The line, made harmless for CI logs: a runner takes no part of it for a command.

    GitHub's reads ``::command`` at the start of a line and ``##[command]`` anywhere, Azure's ``##vso[command]``.
    """
    line = without_commands(line)
    if line.lstrip().startswith("::"):
        return line.replace("::", "\\x3a:", 1)
    return line


def without_commands(text: str) -> str:
    """The text without what a runner obeys wherever it stands."""
    if "##" not in text:
        return text
    return text.replace("##[", "#\\x23[").replace("##vso[", "#\\x23vso[")


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
