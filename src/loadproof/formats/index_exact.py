"""The exact path for a shard index: what is wrong with it, and what transformers says to it.

transformers reads the index with a plain ``json.loads`` and takes ``index["metadata"]`` (utils/hub.py:966-971): what
breaks it there is noted in `Problem.breaks`. Duplicate keys and unsafe paths it takes without a word.
"""

from __future__ import annotations

from typing import Any

from loadproof.core.checkpoint import IndexFile
from loadproof.formats.faults import Faults, cut
from loadproof.jsontext.read import Constant, Flaw, Pairs, decode, text_of

_BOM = b"\xef\xbb\xbf"


def diagnose(raw: bytes, file: str, faults: Faults) -> IndexFile:
    """The index as far as it can be read; `faults` receives the rest."""
    unreadable = IndexFile(file, {}, None, False, readable=False)
    if raw.startswith(_BOM):
        faults.add(
            "LP101",
            file,
            "bom",
            "the index begins with a byte order mark",
            offset=0,
            breaks="JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        )
    try:
        value = decode(text_of(raw.removeprefix(_BOM)))
    except Flaw as flaw:
        faults.add("LP101", file, flaw.kind, f"the index {flaw.text}", offset=flaw.offset, breaks=flaw.breaks)
        return unreadable
    if not isinstance(value, Pairs):
        faults.add(
            "LP101",
            file,
            "no-object",
            "the index is not a JSON object",
            expected="an object",
            breaks="TypeError: list indices must be integers or slices, not str",
        )
        return unreadable
    for key in value.twice():
        faults.add(
            "LP101", file, "duplicate-key", f"{cut(key)!r} is given twice; readers keep the last", found=cut(key)
        )
    fields = dict(value)
    for constant in value.constants():
        faults.add("LP101", file, "constant", f"the index holds {constant}, which is not JSON", found=constant)
    total, has_metadata = _check_metadata(fields, file, faults)
    weight_map = _check_weight_map(fields, file, faults)
    return IndexFile(file, weight_map or {}, total, has_metadata, readable=weight_map is not None)


def _check_metadata(fields: dict[str, Any], file: str, faults: Faults) -> tuple[int | None, bool]:
    """`total_size` (bytes) and whether there is a metadata object."""
    if "metadata" not in fields:
        faults.add(
            "LP101",
            file,
            "no-metadata",
            "the index has no metadata",
            expected="metadata",
            breaks="KeyError: 'metadata'",
        )
        return None, False
    metadata = fields["metadata"]
    if not isinstance(metadata, Pairs):
        kind = _word(metadata)
        says = f"'{kind}' object does not support item assignment"
        if kind == "list":
            says = "list indices must be integers or slices, not str"
        faults.add(
            "LP101",
            file,
            "metadata-type",
            "metadata is not an object",
            expected="an object",
            found=kind,
            breaks=f"TypeError: {says}",
        )
        return None, False
    for key in metadata.twice():
        faults.add("LP101", file, "duplicate-key", f"{cut(key)!r} is given twice in metadata", found=cut(key))
    return _check_total(dict(metadata), file, faults), True


def _check_total(metadata: dict[str, Any], file: str, faults: Faults) -> int | None:
    total = metadata.get("total_size")
    if type(total) is int and total >= 0:
        return total
    if isinstance(total, float) and total >= 0 and total.is_integer():  # as older writers did
        faults.add(
            "LP109",
            file,
            "float",
            f"total_size is written as {total!r}",
            expected="a whole number",
            found=repr(total),
            severity="info",
        )
        return int(total)
    if "total_size" in metadata and not isinstance(total, Constant):
        shown = cut(repr(total)) if isinstance(total, str | int | float) else _word(total)
        text = f"total_size is {shown}"
        faults.add("LP109", file, "type", text, expected="a whole number of bytes", found=shown)
    return None


def _check_weight_map(fields: dict[str, Any], file: str, faults: Faults) -> dict[str, str] | None:
    if "weight_map" not in fields:
        faults.add(
            "LP101",
            file,
            "no-weight-map",
            "the index has no weight_map",
            expected="weight_map",
            breaks="KeyError: 'weight_map'",
        )
        return None
    found = fields["weight_map"]
    if not isinstance(found, Pairs):
        kind = _word(found)
        faults.add(
            "LP101",
            file,
            "weight-map-type",
            "weight_map is not an object",
            expected="an object",
            found=kind,
            breaks=f"AttributeError: '{kind}' object has no attribute 'values'",
        )
        return None
    if not found:
        faults.add(
            "LP101", file, "empty-weight-map", "weight_map is empty", breaks="IndexError: list index out of range"
        )
    for key in found.twice():
        faults.add(
            "LP101",
            file,
            "duplicate-key",
            f"{cut(key)!r} is given twice in weight_map; readers keep the last",
            tensor=key,
        )
    for key, target in dict(found).items():  # of a key given twice the last value counts
        if not isinstance(target, str):
            faults.add(
                "LP101",
                file,
                "value-type",
                f"the file of {cut(key)} is not a string",
                tensor=key,
                expected="a string",
                found=_word(target),
                breaks=_breaks_value(target),
            )
    return {key: target for key, target in dict(found).items() if isinstance(target, str)}


def _word(value: Any) -> str:
    """Python's name for a value as its own json would have read it."""
    if isinstance(value, float):
        return "float"
    return "dict" if isinstance(value, Pairs) else type(value).__name__


def _breaks_value(value: Any) -> str:
    """What ``sorted(set(weight_map.values()))`` says to a value that is not a string."""
    if isinstance(value, list):
        return f"TypeError: unhashable type: '{_word(value)}'"
    return f"TypeError: '<' not supported between instances of '{_word(value)}' and 'str'"
