"""Random small damage to a safetensors file, JSON-aware so that the deeper checks are reached."""

from __future__ import annotations

import random
import struct

TOKENS = [
    b'"dtype"', b'"shape"', b'"F32"', b'"BF16"', b"[", b"]", b"{", b"}", b",", b":", b"0", b"8", b"-1", b"-0", b"01",
    b"1.5", b"18446744073709551615", b"9223372036854775808", b"1e9", b"NaN", b"null", b"true", b" ",
    b"\n", b"\\u0061", b'"a"',
    b"\xff", b"\0", b'"__metadata__"', b'"__metadata__":{"format":"pt"},', "é".encode(),
]  # fmt: skip


def mutate(rng: random.Random, seed: bytes) -> bytes:
    """One to four edits; the length prefix is mostly fixed afterwards."""
    blob = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _edit(rng, blob)
    end = blob.rfind(b"}")
    if rng.random() < 0.7 and end > 8:
        blob[:8] = struct.pack("<Q", end - 7)
    return bytes(blob)


def _edit(rng: random.Random, blob: bytearray) -> None:
    at = rng.randrange(len(blob)) if blob else 0
    match rng.randrange(6):
        case 0 if blob:
            blob[at] ^= 1 << rng.randrange(8)
        case 1:
            blob[at : at + 1] = rng.choice(TOKENS)
        case 2:
            to = rng.randrange(len(blob) + 1)
            blob[to:to] = blob[at : at + rng.randrange(40)]
        case 3:
            del blob[at : at + rng.randrange(20)]
        case 4:
            blob += bytes(rng.randrange(9))
        case _:
            blob[at:at] = rng.choice(TOKENS)
