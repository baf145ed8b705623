"""Plain data as the text of a JSON report, for every kind of result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from loadproof.core.families import names_of
from loadproof.core.tensors import Axes
from loadproof.version import __version__

SCHEMA_VERSION = "1.0"


def head() -> dict[str, Any]:
    """How every report begins."""
    return {"schema_version": SCHEMA_VERSION, "tool": {"name": "loadproof", "version": __version__}}


def rendered(data: Any) -> str:
    """Indented JSON, ended by a newline. Names are kept as they are (JSON escapes them)."""
    body = msgspec.json.encode(data, enc_hook=str)
    return _ascii(msgspec.json.format(body, indent=2).decode()) + "\n"


def line(data: Any) -> str:
    """The same on one line."""
    return _ascii(msgspec.json.encode(data, enc_hook=str).decode()) + "\n"


def text(value: str) -> str:
    """JSON can hold every string but one with lone surrogates, which UTF-8 cannot."""
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def expanded(families: Iterable[tuple[str, Axes]]) -> list[str]:
    """Every name of these families."""
    return [text(name) for template, axes in families for name in names_of(template, axes)]


def _ascii(value: str) -> str:
    """Non-ASCII, DEL and ``##[`` as ``\\uXXXX``: neither a terminal nor the runner of a CI obeys a report printed to it."""
    if "##" in value:  # in strings only
        value = value.replace("##", "#\\u0023")
    if value.isascii() and "\x7f" not in value:
        return value
    return "".join(
        character if " " <= character < "\x7f" or character == "\n" else _units(character) for character in value
    )


def _units(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
