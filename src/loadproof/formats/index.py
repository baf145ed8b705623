"""A shard index: ``{"metadata": {"total_size": n}, "weight_map": {tensor: file}}``.

transformers reads the index with a plain ``json.loads`` and takes ``index["metadata"]`` (utils/hub.py:966-971): what
breaks it there is noted in `Problem.breaks`. Duplicate keys and unsafe paths it takes without a word.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from loadproof.formats.faults import Faults, cut
from loadproof.formats.json_strict import Flaw, Pairs, parse
from loadproof.storage import GuardedFile, why_unsafe
from loadproof.types import IndexFile, Problem

LARGEST = 256_000_000  # bytes; the index of a million tensors has about 100 MB
_NAME = re.compile(r".+\.index(\.[^./]+)?\.json")
_BOM = b"\xef\xbb\xbf"


class _Typed(msgspec.Struct):
    weight_map: dict[str, str]
    metadata: dict[str, int | str]


_DECODER = msgspec.json.Decoder(_Typed)


def is_index(name: str) -> bool:
    """``model.safetensors.index.json`` and its variants, ``model.safetensors.index.fp16.json``."""
    return _NAME.fullmatch(name) is not None


def read_index(opened: GuardedFile, file: str) -> tuple[IndexFile, tuple[Problem, ...]]:
    """The index and what is wrong with it. Paths in it are judged, not opened."""
    faults = Faults()
    if opened.size > LARGEST:
        faults.add("LP101", file, "too-large", f"the index has {opened.size:,} bytes, more than {LARGEST:,}")
        return IndexFile(file, {}, None, False, readable=False), faults.result()
    raw = opened.read(0, opened.size)
    index = _read_plain(raw, file) or _diagnose(raw, file, faults)
    for target in dict.fromkeys(index.weight_map.values()):
        if kind := why_unsafe(target):
            faults.add(
                "LP110",
                file,
                kind,
                f"weight_map points to {cut(ascii(target))}, which is no path inside the folder",
                found=cut(ascii(target)),
                breaks=_BREAKS_PATH.get(kind),
            )
    _check_names(index, faults)
    return index, faults.result()


def _read_plain(raw: bytes, file: str) -> IndexFile | None:
    """The fast path: types as they should be, no escape, no key twice: all quotes are accounted for."""
    if b"\\" in raw or not raw.isascii():
        return None
    try:
        typed = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    texts = sum(isinstance(value, str) for value in typed.metadata.values())
    expected = 2 * (2 * len(typed.weight_map) + len(typed.metadata) + texts + 2)
    total = typed.metadata.get("total_size")
    is_total = isinstance(total, int) and total >= 0
    if raw.count(b'"') != expected or not typed.weight_map or not (is_total or total is None):
        return None
    return IndexFile(file, typed.weight_map, total if isinstance(total, int) else None, True)


def _diagnose(raw: bytes, file: str, faults: Faults) -> IndexFile:
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
        value = parse(raw.removeprefix(_BOM))
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
        word = "null" if metadata is None else type(metadata).__name__
        kind = "NoneType" if metadata is None else type(metadata).__name__
        faults.add(
            "LP101",
            file,
            "metadata-type",
            "metadata is not an object",
            expected="an object",
            found=word,
            breaks=f"TypeError: '{kind}' object does not support item assignment",
        )
        return None, False
    for key in metadata.twice():
        faults.add("LP101", file, "duplicate-key", f"{cut(key)!r} is given twice in metadata", found=cut(key))
    return _check_total(dict(metadata), file, faults), True


def _check_total(metadata: dict[str, Any], file: str, faults: Faults) -> int | None:
    total = metadata.get("total_size")
    if type(total) is int and total >= 0:
        return total
    if isinstance(total, float) and total >= 0 and total.is_integer():
        faults.add(
            "LP109",
            file,
            "float",
            f"total_size is written as {total!r}",
            expected="a whole number",
            found=repr(total),
            severity="warning",
        )
        return int(total)
    if "total_size" in metadata and total == total and not (isinstance(total, float) and abs(total) == float("inf")):
        faults.add(
            "LP109",
            file,
            "type",
            f"total_size is {cut(repr(total))}",
            expected="a whole number of bytes",
            found=cut(repr(total)),
        )
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
        kind = "NoneType" if found is None else type(found).__name__
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
    for key, target in found:
        if not isinstance(target, str):
            faults.add(
                "LP101",
                file,
                "value-type",
                f"the file of {cut(key)} is not a string",
                tensor=key,
                expected="a string",
                found=type(target).__name__,
                breaks=_BREAKS_VALUE.get(type(target).__name__),
            )
    return {key: target for key, target in found if isinstance(target, str)}


_BREAKS_PATH = {  # an absolute path or one through .. is followed by transformers where it exists
    "nul-byte": "ValueError: embedded null byte",
    "too-long": "OSError: File name too long",
    "url": "FileNotFoundError: No such file or directory",
    "windows-path": "FileNotFoundError: No such file or directory",
    "lone-surrogate": "FileNotFoundError: No such file or directory",
    "empty-path": "IsADirectoryError: Is a directory",
}
_BREAKS_VALUE = {
    "int": "TypeError: '<' not supported between instances of 'int' and 'str'",
    "Pairs": "TypeError: unhashable type: 'dict'",
    "list": "TypeError: unhashable type: 'list'",
}


def _check_names(index: IndexFile, faults: Faults) -> None:
    targets = dict.fromkeys(index.weight_map.values())
    lowered: dict[str, str] = {}
    for target in targets:
        other = lowered.setdefault(target.lower(), target)
        if other != target:
            faults.add(
                "LP110",
                index.path,
                "case",
                f"{cut(other)} and {cut(target)} differ only by case",
                severity="warning",
                found=cut(target),
            )
        if not target.isprintable():
            faults.add(
                "LP011",
                index.path,
                "control",
                f"a shard name holds control characters: {cut(ascii(target))}",
                severity="warning",
                found=cut(ascii(target)),
            )
