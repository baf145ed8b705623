"""The fast path: a header that is plain in every respect is decoded once, straight into structs.

Plain means: ASCII without backslashes, no key twice, no unknown field, no gap or overlap, every span equal to its
dtype x shape, and nothing worth a warning. For anything else `decode` returns None and the exact path looks again.
"""

from __future__ import annotations

import re
from operator import attrgetter

import msgspec

from loadproof.core.families import group_by_mask
from loadproof.formats.base import Groups
from loadproof.formats.entry import Entry, is_plain

_ENTRIES = msgspec.json.Decoder(dict[str, Entry])
_METADATA = msgspec.json.Decoder(dict[str, str])
# The writers put it first. No backslash occurs in the text, so a string ends at the next quote.
# Possessive (`*+`): what each round of a plain loop could take back costs memory, thirty times that of the text.
_METADATA_FIRST = re.compile(rb'\{"__metadata__": ?(\{(?:"[^"]*": ?"[^"]*"(?:, ?(?="))?)*+\})(, ?(?=")|\} *\Z)')
_MINUS = re.compile(rb"[\[,\s]-")
_COLONS_OF_ENTRY = 4  # after the name and three keys
_DTYPE, _SHAPE, _OFFSETS = attrgetter("dtype"), attrgetter("shape"), attrgetter("data_offsets")

Decoded = tuple[dict[str, Entry], Groups, dict[str, str]]


def decode(raw: bytes, data_size: int) -> Decoded | None:
    """Entries, their names in groups, and metadata of a plain header; None where anything is in doubt.

    `data_size` is how many bytes of data follow the header in the file.
    """
    if not raw.isascii() or b"\\" in raw or raw[:1] != b"{" or not raw.rstrip(b" ").endswith(b"}"):
        return None
    if b"-" in raw and _MINUS.search(raw):  # "-0" would decode as 0, the official library refuses it
        return None
    try:
        return _decode(raw, data_size)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _decode(raw: bytes, data_size: int) -> Decoded | None:
    metadata: dict[str, str] = {}
    if found := _METADATA_FIRST.match(raw):
        metadata = _METADATA.decode(memoryview(raw)[found.start(1) : found.end(1)])
        if raw.count(b'"', *found.span(1)) != 4 * len(metadata) or not metadata:
            return None
        raw = b"{" + raw[found.end() :] if found[2][:1] == b"," else b"{}"
    entries = _ENTRIES.decode(raw)
    if "__metadata__" in entries:  # a tensor entry under the reserved name
        return None
    # A key or a field given twice leaves more colons in the text than the decoded entries account for.
    if raw.count(b":") != _COLONS_OF_ENTRY * len(entries):
        return None
    groups = group(entries)
    are_plain = all(is_plain(dtype, shape, span) for _, dtype, shape, span in groups)
    return (entries, groups, metadata) if are_plain and _is_tiling(entries, data_size) else None


def group(entries: dict[str, Entry]) -> Groups:
    """The names by mask, dtype, shape and length in bytes: what is equal needs to be judged only once."""
    values = entries.values()
    spans = [end - begin for begin, end in map(_OFFSETS, values)]
    return group_by_mask(tuple(entries), map(_DTYPE, values), map(_SHAPE, values), spans)


def _is_tiling(entries: dict[str, Entry], data_size: int) -> bool:
    """Whether the spans follow each other without a gap from 0 to `data_size`."""
    if not entries:
        return data_size == 0
    offsets = list(map(_OFFSETS, entries.values()))
    begins, ends = zip(*offsets, strict=True)
    if begins[1:] != ends[:-1]:
        begins, ends = zip(*sorted(offsets), strict=True)
    return begins[0] == 0 and ends[-1] == data_size and begins[1:] == ends[:-1]
