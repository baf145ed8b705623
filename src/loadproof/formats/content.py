"""Two looks at the data itself, a few kilobytes a file: is it all zero, and does a zip archive hide at its end?"""

from __future__ import annotations

from loadproof.formats.faults import Faults
from loadproof.storage.base import Ranged

_BLOCK = 4096  # bytes
_SAMPLES = 8
_LEAST_DATA = 1024  # bytes; less may well be zero in a healthy file (one bias)
_LEAST_OF_SHARD = 65_536  # bytes; a small shard of many may hold nothing but biases and fresh position embeddings
_ZEROS = bytes(_BLOCK)
_END_OF_ZIP = b"PK\x05\x06"
_ZIP_TAIL = 22 + 65_535  # an end record and the longest comment


def check_content(opened: Ranged, file: str, data_begin: int, faults: Faults, is_shard: bool = False) -> None:
    """Warn of data that was never written and of a file that is a zip archive as well. `data_begin` in bytes."""
    data_size = opened.size - data_begin
    if data_size >= (_LEAST_OF_SHARD if is_shard else _LEAST_DATA) and _is_zero(opened, data_begin, data_size):
        faults.add(
            "LP005",
            file,
            "data",
            f"all of the data that was sampled is zero ({data_size:,} bytes of data)",
            severity="warning",
            offset=data_begin,
        )
    if (at := _find_zip(opened, data_begin)) is not None:
        faults.add(
            "LP012",
            file,
            "polyglot",
            "the data ends in a zip archive: other programs may open the file as one",
            severity="warning",
            offset=at,
        )


def _is_zero(opened: Ranged, begin: int, size: int) -> bool:
    """Whether every sampled block is zero; blocks lie evenly spread, the first and last included."""
    last = max(0, size - _BLOCK)
    return all(
        (block := opened.read(begin + last * i // (_SAMPLES - 1), min(_BLOCK, size))) == _ZEROS[: len(block)]
        for i in range(_SAMPLES)
    )


def _find_zip(opened: Ranged, data_begin: int) -> int | None:
    """Offset of an end-of-directory record that reaches exactly to the end of the file."""
    length = min(_ZIP_TAIL, opened.size - data_begin)
    if length < 22:
        return None
    tail = opened.read(opened.size - length, length)
    at = tail.rfind(_END_OF_ZIP)
    while at >= 0:
        comment = int.from_bytes(tail[at + 20 : at + 22], "little")
        if at + 22 + comment == len(tail):
            return opened.size - length + at
        at = tail.rfind(_END_OF_ZIP, 0, at)
    return None
