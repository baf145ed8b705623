"""One tensor entry of a safetensors header: ``{"dtype": ..., "shape": [...], "data_offsets": [begin, end]}``.

With it what the format says of sizes, for readers and for repairs.
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

PREFIX = 8  # bytes of the header length, a little-endian u64 in front of the header
LARGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors library
# Bits of each dtype of safetensors 0.8.
BITS = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}  # fmt: skip
REPLACED = "replaced"  # of an entry that a later one of its name replaces
HIGHEST_RANK = 64  # dimensions; torch cannot hold more
LARGEST_DIM = 2**63 - 1


class Entry(Struct, gc=False, forbid_unknown_fields=True):
    """As stored: offsets in bytes, relative to the begin of the data, end exclusive."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def bits_of(dtype: str, shape: tuple[int, ...]) -> int | None:
    """Size of a tensor in bits, or None where it overflows what the official library can compute (order matters)."""
    elements = 1
    for dim in shape:
        elements *= dim
        if elements >= 2**64:
            return None
    bits = elements * BITS[dtype]
    return bits if bits < 2**64 else None


def is_plain(dtype: str, shape: tuple[int, ...], span: int) -> bool:
    """Whether dtype, shape and span (bytes) agree and nothing about them deserves a word."""
    if dtype not in BITS or BITS[dtype] < 8 or len(shape) > HIGHEST_RANK or (shape and min(shape) < 0):
        return False
    without_zeros = prod(dim for dim in shape if dim)
    return without_zeros <= LARGEST_DIM and prod(shape) * BITS[dtype] == span * 8
