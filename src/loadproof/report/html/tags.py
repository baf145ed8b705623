"""HTML as text: elements whose every attribute and text is quoted here. What is a `Markup` is quoted already."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.report.escape import LONG
from loadproof.report.quoting import escaped

_CODE = re.compile(r"`([^`]+)`")
_VOID = frozenset({"meta", "br"})


class Markup(str):
    """Text that is HTML already: made by the functions of this file only."""

    __slots__ = ()


def element(name: str, /, *children: str | Iterable[str], **attributes: str | bool | None) -> Markup:
    """``element("p", "text", class_="x")``; an attribute that is None or False is left out, True stands alone."""
    opened = f"<{name}{''.join(map(_attribute, attributes.items()))}>"
    if name in _VOID:
        return Markup(opened)
    return Markup(f"{opened}{joined(*children)}</{name}>")


def joined(*children: str | Iterable[str]) -> Markup:
    """Texts and elements one after the other."""
    parts = []
    for child in children:
        parts += [quoted(child)] if isinstance(child, str) else [quoted(one) for one in child]
    return Markup("".join(parts))


def quoted(text: str) -> Markup:
    """Text from anywhere as HTML."""
    return text if isinstance(text, Markup) else Markup(escaped(text, "markup", LONG))


def prose(text: str) -> Markup:
    """Our own Markdown, of which only code is marked."""
    return Markup(_CODE.sub(r"<code>\1</code>", quoted(text)))


def _attribute(item: tuple[str, str | bool | None]) -> str:
    name, value = item
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{quoted(value)}"'
