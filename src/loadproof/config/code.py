"""What a config says about code and other places: reported, never imported, never fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loadproof.config.problems import CODE, HOSTILE_NAME, UNSAFE_PATH, fault
from loadproof.config.values import nested
from loadproof.core.checkpoint import Problem
from loadproof.core.config import dotted

# module path and class, with an optional "owner/repository--" in front (transformers, dynamic_module_utils.py).
_REFERENCE = r"(?:[\w.-]+(?:/[\w.-]+)?--)?(?:\w+\.)+\w+"


def check_code(raw: dict[str, Any], file: str) -> Iterator[Problem]:
    """Problems about ``auto_map``, class names and remote references."""
    for path, fields in nested(raw):
        if "auto_map" in fields:
            yield from _auto_map(fields["auto_map"], dotted((*path, "auto_map")), file)
    yield from _architectures(raw.get("architectures"), file)
    origin = raw.get("_name_or_path")
    if isinstance(origin, str) and re.match(r"[a-z][a-z0-9+.-]*://", origin, re.IGNORECASE):
        yield fault(
            CODE, file, "remote", "_name_or_path is a URL; it is not followed", severity="warning", found=origin
        )


def _auto_map(value: Any, field: str, file: str) -> Iterator[Problem]:
    references = [item for item in references_of(value) if isinstance(item, str)]
    for reference in references:
        if not re.fullmatch(_REFERENCE, reference):
            text = f"{field} names a module outside the folder or none at all"
            yield fault(UNSAFE_PATH, file, "auto-map", text, found=reference, expected=field)
            return
    foreign = sorted({item.split("--")[0] for item in references if "--" in item})
    if foreign:
        text = f"{field} names code of another repository ({', '.join(foreign)}); it runs only with trust_remote_code"
    else:
        text = f"{field} names code in the folder; it runs only with trust_remote_code"
    yield fault(CODE, file, "auto-map", text, severity="info", found=references[0] if references else value)


def references_of(value: Any) -> list[Any]:
    """The references of an ``auto_map`` value (dict of class or [slow, fast] pairs), in file order."""
    items = value.values() if isinstance(value, dict) else [value]
    return [inner for item in items for inner in (item if isinstance(item, list) else [item]) if inner is not None]


def _architectures(value: Any, file: str) -> Iterator[Problem]:
    names = value if isinstance(value, list) else [] if value is None else [value]
    for name in names:
        if isinstance(name, str) and name.isidentifier():
            continue
        if isinstance(name, str) and not name.isprintable():
            text = "architectures holds a name with control characters"
        else:
            text = "architectures holds something that is no class name"
        yield fault(HOSTILE_NAME, file, "class-name", text, severity="warning", found=name, expected="architectures")
        return
