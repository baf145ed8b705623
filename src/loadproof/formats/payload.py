"""The bytes of a tensor in the order of its elements, wherever they lie: in one run, strided, or in several blocks."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from loadproof.core.tensors import Shape, TensorPart, TensorRecord
from loadproof.formats.entry import BITS
from loadproof.storage import Storage

_WINDOW = 1 << 20  # bytes that are read at once where a tensor is gathered from small runs
Run = tuple[int, int]  # begin and length, in bytes


def read_range(storage: Storage, record: TensorRecord, begin: int, length: int) -> bytes:
    """`length` bytes of the tensor from `begin` on, fewer where its file ends. Raises `UnreadableError`, ValueError."""
    if record.parts:
        return b"".join(_from_parts(storage, record, begin, length))
    if record.strides is None:
        with storage.open(record.file) as opened:
            return opened.read(record.begin + begin, length)
    runs = runs_of(record.shape, record.strides, element_size(record.dtype), begin, length)
    return _gathered(storage, record.file, record.begin, runs)


def element_size(dtype: str) -> int:
    """Bytes of one element. Raises ValueError where elements do not end at a byte, or the dtype is none we know."""
    bits = BITS.get(dtype, 0)
    if bits == 0 or bits % 8:
        raise ValueError(f"elements of {dtype} are not addressed one by one")
    return bits // 8


def dense_size(record: TensorRecord) -> int:
    """Bytes of a strided tensor once its elements stand side by side."""
    return prod(record.shape) * BITS.get(record.dtype, 0) // 8


def runs_of(shape: Shape, strides: Shape, size: int, begin: int, length: int) -> Iterator[Run]:
    """The runs, from the tensor's first byte on, that make up a range of a strided tensor. All numbers but shape are bytes;
    strides are in elements."""
    inner, dims = size, len(shape)
    while dims and (shape[dims - 1] == 1 or strides[dims - 1] * size == inner):
        dims -= 1
        inner *= shape[dims]
    at, end = begin, min(begin + length, prod(shape) * size)
    while at < end:
        number, skipped = divmod(at, inner)
        taken = min(inner - skipped, end - at)
        yield _offset(number, shape[:dims], strides[:dims]) * size + skipped, taken
        at += taken


def _offset(number: int, shape: Shape, strides: Shape) -> int:
    """Where the run of that number begins, in elements."""
    offset = 0
    for dim, stride in zip(reversed(shape), reversed(strides), strict=True):
        number, index = divmod(number, dim)
        offset += index * stride
    return offset


def _gathered(storage: Storage, file: str, base: int, runs: Iterator[Run]) -> bytes:
    pieces = []
    window, at = b"", 0
    with storage.open(file) as opened:
        for begin, length in runs:
            if not at <= begin or begin + length > at + len(window):
                at, window = begin, opened.read(base + begin, max(length, _WINDOW))
            pieces.append(window[begin - at : begin - at + length])
    return b"".join(pieces)


def _from_parts(storage: Storage, record: TensorRecord, begin: int, length: int) -> Iterator[bytes]:
    """Row by row of the last dimension; each row from the part that holds it."""
    size = element_size(record.dtype)
    at, end = begin, min(begin + length, prod(record.shape) * size)
    while at < end:
        element, skipped = divmod(at, size)
        part, offset, left = _part_at(record, _index(element, record.shape))
        taken = min(left * size - skipped, end - at)
        with storage.open(part.file) as opened:
            yield opened.read(part.begin + offset * size + skipped, taken)
        at += taken


def _index(element: int, shape: Shape) -> Shape:
    index = []
    for dim in reversed(shape):
        element, here = divmod(element, dim)
        index.append(here)
    return tuple(reversed(index))


def _part_at(record: TensorRecord, index: Shape) -> tuple[TensorPart, int, int]:
    """The part that holds an element, the element's place in it, and how many of its row follow there, itself included."""
    for part in record.parts:
        inside = tuple(i - corner for i, corner in zip(index, part.corner, strict=True))
        if all(0 <= i < dim for i, dim in zip(inside, part.shape, strict=True)):
            offset = 0
            for i, dim in zip(inside, part.shape, strict=True):
                offset = offset * dim + i
            return part, offset, (part.shape[-1] - inside[-1]) if inside else 1
    raise ValueError(f"{record.name}: no part holds the element at {list(index)}")
