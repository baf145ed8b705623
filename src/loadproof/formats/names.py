"""Names that are legal in a file but made to mislead a terminal, a report, a shell or a reader's eye."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.formats.faults import Faults, cut

LONGEST = 512  # characters
_LONGEST_METADATA = 500_000  # characters of one value
_USUAL = re.compile(r"[A-Za-z0-9_.:/@+|,\-{}]+")
_MISLEADING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u180e]")
_MARKUP = re.compile(r"<\s*/?(script|img|iframe|svg|style|object|embed|link|meta)\b", re.IGNORECASE)
_CYRILLIC_AND_GREEK = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u03bf\u03b1", "aeopcyxijsoa"
)
_ALLOWED_IN_METADATA = str.maketrans("", "", "\n\r\t")


def check_names(templates: Iterable[tuple[str, str]], faults: Faults) -> None:
    """Judge (template, file) pairs: one warning for each template that no healthy writer makes."""
    skeletons: dict[str, str] = {}
    for template, file in templates:
        if kind := why_odd(template):
            faults.add(
                "LP011",
                file,
                kind,
                f"a tensor name {_WORDS[kind]}: {cut(ascii(template))}",
                tensor=template,
                severity="warning",
            )
        other = skeletons.setdefault(_skeleton(template), template)
        if other != template:
            text = f"two tensor names look alike: {cut(ascii(other))} and {cut(ascii(template))}"
            faults.add("LP011", file, "confusable", text, tensor=template, severity="warning")


def check_metadata(metadata: dict[str, str], file: str, faults: Faults) -> None:
    """Judge the strings of ``__metadata__``."""
    for key, text in metadata.items():
        if len(key) + len(text) > _LONGEST_METADATA:
            faults.add(
                "LP011",
                file,
                "metadata-size",
                f"metadata {cut(ascii(key))} has {len(text):,} characters",
                severity="warning",
            )
        elif _MISLEADING.search((key + text).translate(_ALLOWED_IN_METADATA)) or _MARKUP.search(key + text):
            faults.add(
                "LP011",
                file,
                "metadata",
                f"metadata {cut(ascii(key))} holds control characters or markup",
                severity="warning",
            )


_WORDS = {
    "empty": "is empty",
    "long": f"is longer than {LONGEST} characters",
    "control": "holds control or invisible characters",
    "path": "is a path that climbs out of its folder",
    "unusual": "holds characters that no model uses",
}


def why_odd(name: str) -> str | None:
    """A short kind, or None for a name as models have them."""
    if not name:
        return "empty"
    if len(name) > LONGEST:
        return "long"
    if _MISLEADING.search(name):
        return "control"
    if name.startswith("/") or ".." in name.split("/"):
        return "path"
    return None if _USUAL.fullmatch(name) else "unusual"


def _skeleton(name: str) -> str:
    if name.isascii():
        return name.casefold()
    from unicodedata import normalize  # rarely needed

    return normalize("NFKC", name).translate(_CYRILLIC_AND_GREEK).casefold()
