"""The text of a source file by its coding line, without loading a codec: behind the wall no file can be opened."""

from __future__ import annotations

import encodings
import encodings.aliases
import pkgutil
import re

from loadproof.interpret.language.errors import NotUnderstood

# No file can have this name, so the compiler does not open one to quote the line that it complains about.
NOWHERE = "\ud800"
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.A)
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_LOADED = frozenset(["ascii", "latin_1", "utf_8", "utf_8_sig"])
_CODECS = frozenset(module.name for module in pkgutil.iter_modules(encodings.__path__))


def named(problem: SyntaxError, label: str) -> SyntaxError:
    """The compiler's complaint about the file of this name."""
    if problem.filename == NOWHERE:
        problem.filename = label
    return problem


def text_of(data: bytes, label: str) -> str:
    """What Python reads (PEP 263). Raises SyntaxError for an unknown coding, NotUnderstood for one that is not loaded."""
    name = _stated(data)
    codec = _codec(name)
    if codec is None:
        raise SyntaxError(f"unknown encoding: {name}", (label, 0, -1, None))
    data = data.removeprefix(b"\xef\xbb\xbf")
    if codec not in _LOADED and not data.isascii():
        raise NotUnderstood(f"{label} is written in {name}")
    try:
        return data.decode(codec if codec in _LOADED else "ascii")
    except UnicodeDecodeError as problem:
        raise SyntaxError(f"(unicode error) {problem}", (label, 0, -1, None)) from None


def _stated(data: bytes) -> str:
    """The coding of the first two lines, else UTF-8."""
    for line in data.splitlines()[:2]:
        found = _COOKIE.match(line)
        if found is not None:
            return found.group(1).decode("ascii")
        if _BLANK.match(line) is None:
            break
    return "utf-8"


def _codec(name: str) -> str | None:
    """The module that a coding's name stands for, None where Python has none."""
    plain = encodings.normalize_encoding(name).lower()
    found = encodings.aliases.aliases.get(plain, plain)
    return found if found in _CODECS else None
