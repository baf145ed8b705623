"""A zip file without its end: the members that are whole, found by their local headers from the first on."""

from __future__ import annotations

import struct

from loadproof.formats.faults import Faults
from loadproof.formats.torch.table import Stored, TorchFile
from loadproof.formats.torch.unpickle import read_pickle
from loadproof.formats.torch.walk import collect
from loadproof.storage.base import Ranged

_LOCAL = struct.Struct("<4sHHHIIIIHH")
_SIGN = b"PK\x03\x04"
_MOST_PICKLE = 1 << 28


def read_cut(opened: Ranged, file: str, found: TorchFile, faults: Faults) -> None:
    """Record LP003; where the pickle is whole, the tensors are listed, with the places of those that are whole."""
    begin, length = _first_member(opened)
    data = opened.read(begin, min(length or opened.size, opened.size - begin, _MOST_PICKLE)) if begin else b""
    quiet = Faults()
    if data:
        read_pickle(data, 0, found, file, quiet)
    if found.is_read:
        collect(found, file, quiet)
        at = begin + (length or found.end)
        _place(opened, at, found)
    faults.extend(tuple(problem for problem in quiet.result() if problem.code == "LP012"))
    text = f"the zip archive has no end: the file is cut off at byte {opened.size:,}"
    faults.add("LP003", file, "zip-cut", text + _tally(found), offset=opened.size, found=f"{opened.size} bytes")


def _tally(found: TorchFile) -> str:
    if not found.is_read:
        return "; its pickle is not whole, so nothing of it can be read"
    whole = sum(stored.begin >= 0 for stored in found.stored)
    return f"; {whole:,} of {len(found.stored):,} tensors are whole"


def _first_member(opened: Ranged) -> tuple[int, int]:
    """(where the data of the first member begin, their length or 0); (0, 0) where that is not the pickle."""
    header = _header(opened, 0)
    if header is None or not header[0].endswith("/data.pkl"):
        return 0, 0
    return header[1], header[2]


def _header(opened: Ranged, at: int) -> tuple[str, int, int] | None:
    """(name, begin of the data, packed size or 0 where it follows the data) of the local header at this offset."""
    head = opened.read(at, _LOCAL.size)
    if len(head) < _LOCAL.size or not head.startswith(_SIGN):
        return None
    _, _, flags, method, _, _, packed, _, name_length, extra_length = _LOCAL.unpack(head)
    if method != 0:
        return None
    begin = at + _LOCAL.size + name_length + extra_length
    name = opened.read(at + _LOCAL.size, name_length).decode("utf-8", "replace")
    return name, begin, 0 if flags & 8 or packed == 0xFFFFFFFF else packed


def _place(opened: Ranged, at: int, found: TorchFile) -> None:
    """Walk from header to header; a storage is as long as the pickle says."""
    storages = {stored.tensor.storage.key: stored.tensor.storage for stored in found.stored if stored.tensor.storage}
    places: dict[str, int] = {}
    while (next_at := _next_header(opened, at)) is not None and (header := _header(opened, next_at)) is not None:
        name, begin, length = header
        storage = storages.get(name.rpartition("/data/")[2]) if "/data/" in name else None
        at = begin + (storage.bytes if storage is not None else length)
        if storage is not None and at <= opened.size:
            places[storage.key] = begin
    for stored in found.stored:
        _fill(stored, places)


def _fill(stored: Stored, places: dict[str, int]) -> None:
    storage = stored.tensor.storage
    if storage is not None and storage.key in places:
        stored.begin = places[storage.key]
        stored.end = stored.begin + storage.bytes


def _next_header(opened: Ranged, at: int) -> int | None:
    """The next local header; a description of the sizes (16 or 24 bytes) may lie in between."""
    near = opened.read(at, 64)
    step = near.find(_SIGN)
    return at + step if step >= 0 else None
