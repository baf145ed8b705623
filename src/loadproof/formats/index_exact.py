"""The exact path for a shard index: what is wrong with it."""

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
        )
    try:
        value = decode(text_of(raw.removeprefix(_BOM)))
    except Flaw as flaw:
        text = f"the index {flaw.text}"
        faults.add("LP101", file, flaw.kind, text, offset=flaw.offset, particular=flaw.particular)
        return unreadable
    if not isinstance(value, Pairs):
        faults.add(
            "LP101",
            file,
            "no-object",
            "the index is not a JSON object",
            expected="an object",
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
        )
        return None, False
    metadata = fields["metadata"]
    if not isinstance(metadata, Pairs):
        faults.add(
            "LP101",
            file,
            "metadata-type",
            "metadata is not an object",
            expected="an object",
            found=_word(metadata),
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
        )
        return None
    found = fields["weight_map"]
    if not isinstance(found, Pairs):
        faults.add(
            "LP101",
            file,
            "weight-map-type",
            "weight_map is not an object",
            expected="an object",
            found=_word(found),
        )
        return None
    if not found:
        faults.add("LP101", file, "empty-weight-map", "weight_map is empty")
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
                particular=_word(target),
            )
    return {key: target for key, target in dict(found).items() if isinstance(target, str)}


def _word(value: Any) -> str:
    """Python's name for a value as its own json would have read it."""
    if isinstance(value, float):
        return "float"
    return "dict" if isinstance(value, Pairs) else type(value).__name__
