"""The one place where text from files becomes a part of another language: nothing in it is taken for markup."""

from __future__ import annotations

import re
from typing import Literal

from loadproof.report.escape import LIMIT, clean, without_commands

Form = Literal["markup", "workflow-message", "workflow-property", "markdown", "cell", "sarif", "uri"]

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_MESSAGE = str.maketrans({"%": "%25"})  # the runner reads %XX
_PROPERTY = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})
_PLAIN = re.compile(r"(?!.*(?:://|www\.))[\w .,:;()/=+'\"%?!-]*")  # text that Markdown takes as it is
_EMPHASIS = re.compile(r"([_*~])")
_TICKS = re.compile("`+")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_SAFE_IN_URI = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def escaped(text: str, form: Form, limit: int = LIMIT) -> str:
    """`clean` text as it may stand in that language without being taken for a part of it.

    ``markup``: text or a quoted attribute of HTML and XML. ``workflow-message`` and ``-property``: of a workflow command.
    ``markdown``: inline, ``cell``: the same in a table. ``sarif``: a message text. ``uri``: a path, byte by byte; only
    this one keeps what `clean` would escape.
    """
    if form == "uri":
        return "".join(chr(byte) if byte in _SAFE_IN_URI else f"%{byte:02X}" for byte in _bytes_of(text))
    text = without_commands(clean(text, limit))
    if form == "markup":
        return text.translate(_MARKUP)
    if form == "workflow-message":
        return text.translate(_MESSAGE)
    if form == "workflow-property":
        return text.translate(_PROPERTY)
    if form == "sarif":
        return _PLACEHOLDER.sub(r"{{\1}}", text).replace("](", "]\\(")
    return _markdown(text, in_table=form == "cell")


def _bytes_of(path: str) -> bytes:
    """As the file system has it: names that are no UTF-8 hold surrogates for single bytes."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")


def code_span(text: str, *, in_table: bool = False, limit: int = LIMIT) -> str:
    """`text` as code in Markdown: nothing in it is a link, a mention, HTML or the end of the code."""
    text = clean(text, limit)
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    padding = " " if not text or text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    span = f"{ticks}{padding}{text or ' '}{padding}{ticks}"
    return span.replace("|", "\\|") if in_table else span


def fence(text: str) -> str:
    """A code fence that is longer than any in `text`."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))


def _markdown(text: str, *, in_table: bool) -> str:
    """Plain words as they are; whatever could be markup, a link, a mention or a reference as code."""
    if _PLAIN.fullmatch(text):
        return _EMPHASIS.sub(r"\\\1", text)
    return code_span(text, in_table=in_table, limit=len(text) + 1)
