"""The header of a safetensors file, read as it stands and written anew.

Layout: u64 little-endian length n, n bytes of JSON, data; offsets count from the start of the data.
"""

from __future__ import annotations

import json
import os
import struct
from math import prod
from typing import Any

from msgspec import Struct

from loadproof.core.tensors import Shape
from loadproof.formats.entry import BITS, LARGEST_HEADER, PREFIX
from loadproof.jsontext.read import Flaw, decode, text_of, unique

LENGTH = struct.Struct("<Q")  # `PREFIX` bytes


class HeaderError(ValueError):
    """The header is not one that can be edited; the message says why."""


class Tensor(Struct, frozen=True):
    """`begin`/`end` are absolute byte offsets in the file."""

    dtype: str
    shape: Shape
    begin: int
    end: int


class Header(Struct, frozen=True):
    """`raw` are the n bytes as they stand, padding included; tensors keep the order of the file."""

    raw: bytes
    size: int  # of the whole file
    tensors: dict[str, Tensor]
    metadata: dict[str, str] | None

    @property
    def data_start(self) -> int:
        return PREFIX + len(self.raw)

    @property
    def data_end(self) -> int:
        return max((tensor.end for tensor in self.tensors.values()), default=self.data_start)


def bytes_of(dtype: str, shape: Shape) -> int:
    """Bytes of a tensor. Raises HeaderError when they are unknown or not whole."""
    if not isinstance(dtype, str) or dtype not in BITS:
        raise HeaderError(f"unknown dtype {dtype!r}")
    bits = BITS[dtype] * prod(shape)
    if bits % 8:
        raise HeaderError(f"{dtype} {list(shape)} is not a whole number of bytes")
    return bits // 8


def read_header(path: str) -> Header:
    """Raises OSError, or HeaderError for a header that cannot be trusted with an edit."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        size = os.fstat(descriptor).st_size
        length = LENGTH.unpack(os.pread(descriptor, PREFIX, 0).ljust(PREFIX, b"\xff"))[0]
        if length > min(LARGEST_HEADER, size - PREFIX):
            raise HeaderError("not a safetensors file, or cut off inside its header")
        return parse_header(os.pread(descriptor, length, PREFIX), size)
    finally:
        os.close(descriptor)


def parse_header(raw: bytes, size: int) -> Header:
    """Raises HeaderError."""
    if raw[:1] == b"\0":
        raise HeaderError("a repair was interrupted here and its journal is gone: the header is closed by a NUL byte")
    try:
        entries = decode(text_of(raw), objects=unique, integers=int)
    except Flaw as flaw:
        raise HeaderError(f"its header {flaw.text}") from None
    if not isinstance(entries, dict):
        raise HeaderError("its header is not an object")
    metadata = entries.pop("__metadata__", None)
    if metadata is not None and not _is_text_map(metadata):
        raise HeaderError("__metadata__ is not a map of texts")
    start = PREFIX + len(raw)
    tensors = {name: _tensor(name, entry, start) for name, entry in entries.items()}
    return Header(raw=raw, size=size, tensors=tensors, metadata=metadata)


def _is_text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _tensor(name: str, entry: Any, start: int) -> Tensor:
    try:
        dtype, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        whole = all(type(number) is int and 0 <= number < 2**63 for number in (*shape, begin, end))
    except (TypeError, KeyError, ValueError):
        raise HeaderError(f"the entry of {name!r} is not a tensor") from None
    if not whole or bytes_of(dtype, shape) != end - begin:
        raise HeaderError(f"the entry of {name!r} contradicts itself: {dtype} {list(shape)} at {begin} to {end}")
    return Tensor(dtype=dtype, shape=shape, begin=start + begin, end=start + end)


def encode(tensors: dict[str, Tensor], metadata: dict[str, str] | None, start: int) -> bytes:
    """The JSON of a header whose data begins at `start` in the file that the offsets count in. Not padded."""
    entries: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    for name, tensor in tensors.items():
        offsets = [tensor.begin - start, tensor.end - start]
        entries[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": offsets}
    return json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()


def padded(text: bytes) -> bytes:
    """Spaces up to a multiple of 8, as the official writer does."""
    return text + b" " * (-len(text) % 8)
