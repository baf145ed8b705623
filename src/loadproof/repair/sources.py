"""Where the bytes of a rewritten tensor come from, as data, and how they are read: any part of any size, on demand.

Nothing holds more than `BLOCK` bytes at a time, so that tensors of any size pass through.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from math import prod
from typing import Literal

from msgspec import Struct

from loadproof.core.tensors import Shape
from loadproof.formats.payload import runs_of

BLOCK = 32 << 20  # bytes held at a time


class Slice(Struct, frozen=True, tag="slice"):
    """Bytes [begin, end) of a file (relative to the checkpoint, or absolute for a donor)."""

    file: str
    begin: int
    end: int


class Weave(Struct, frozen=True, tag="weave"):
    """`rows` times: one row of each part. One row is plain concatenation."""

    parts: tuple[Source, ...]
    rows: int = 1


class Columns(Struct, frozen=True, tag="columns"):
    """Bytes [begin, end) of each of `rows` equal rows."""

    source: Source
    rows: int
    begin: int
    end: int


class Transposed(Struct, frozen=True, tag="transposed"):
    """Two dimensions of a tensor exchanged; `shape` is the shape before, `item` the bytes of an element."""

    source: Source
    shape: Shape
    dims: tuple[int, int]
    item: int


class Inflated(Struct, frozen=True, tag="inflated"):
    """`size` bytes that lie in the file as a raw deflate stream [begin, end), as in a zip archive."""

    file: str
    begin: int
    end: int
    size: int


class Strided(Struct, frozen=True, tag="strided"):
    """A tensor whose elements do not follow each other: from byte `begin` of the source on, strides in elements."""

    source: Slice | Inflated
    begin: int
    shape: Shape
    strides: Shape
    item: int


Source = Slice | Weave | Columns | Transposed | Inflated | Strided


def size_of(source: Source) -> int:
    """Bytes."""
    match source:
        case Slice(_, begin, end):
            return end - begin
        case Weave(parts, _):
            return sum(map(size_of, parts))
        case Columns(_, rows, begin, end):
            return rows * (end - begin)
        case Transposed(_, shape, _, item) | Strided(_, _, shape, _, item):
            return prod(shape) * item
        case Inflated(_, _, _, size):
            return size


def slices_of(source: Source) -> Iterator[Slice]:
    """The file ranges that a source reads."""
    match source:
        case Slice():
            yield source
        case Weave(parts, _):
            for part in parts:
                yield from slices_of(part)
        case Columns(inner) | Transposed(inner) | Strided(inner):
            yield from slices_of(inner)
        case Inflated(file, begin, end):
            yield Slice(file, begin, end)


def plain(source: Source) -> Iterator[Source]:
    """The same bytes as one source after another, cut into plain slices as far as that goes."""
    match source:
        case Weave(parts, 1):
            for part in parts:
                yield from plain(part)
        case Columns(Slice(file, first, _), 1, begin, end):
            yield Slice(file, first + begin, first + end)
        case Columns(Columns(inner, 1, first, _), 1, begin, end):
            yield from plain(Columns(inner, 1, first + begin, first + end))
        case _:
            yield source


class Inflating:
    """One deflate stream, unpacked as it is asked for; asked backwards, it begins again."""

    def __init__(self, source: Inflated, pread: Callable[[str, int, int], bytes]) -> None:
        self.source, self.pread = source, pread
        self._begin_again()

    def _begin_again(self) -> None:
        self.unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        self.taken, self.at, self.ready = self.source.begin, 0, b""

    def read(self, begin: int, length: int) -> bytes:
        """Raises OSError where the stream is broken or ends too early."""
        if begin < self.at:
            self._begin_again()
        try:
            while self.at + len(self.ready) <= begin:
                self.at += len(self.ready)
                self.ready = self._more()
            found = self.ready[begin - self.at :]
            while len(found) < length:
                self.at += len(self.ready)
                self.ready = self._more()
                found += self.ready
        except zlib.error:
            raise OSError(f"{self.source.file}: a compressed tensor does not unpack") from None
        return found[:length]

    def _more(self) -> bytes:
        packed = self.unpack.unconsumed_tail
        if not packed:
            size = min(BLOCK, self.source.end - self.taken)
            packed = self.pread(self.source.file, self.taken, size) if size else b""
            self.taken += size
        found = self.unpack.decompress(packed, BLOCK)
        if not found and not self.unpack.unconsumed_tail and self.taken >= self.source.end:
            raise OSError(f"{self.source.file}: a compressed tensor ends too early")
        return found


class Files:
    """Descriptors of the files that slices name; symbolic links are followed, as readers do."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._open: dict[str, int] = {}
        self._inflating: Inflating | None = None  # the last one
        self._turned: tuple[tuple[int, int], int, bytes] | None = None  # the last block of a transposition

    def close(self) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def descriptor(self, file: str) -> int:
        if file not in self._open:
            self._open[file] = os.open(os.path.join(self.root, file), os.O_RDONLY | os.O_CLOEXEC)
        return self._open[file]

    def read(self, source: Source, begin: int, length: int) -> bytes:
        """`length` bytes of the source from `begin` on. Raises OSError when a file is too short."""
        match source:
            case Slice(file, first, _):
                return self._pread(file, first + begin, length)
            case Weave(parts, rows):
                return b"".join(self._woven(parts, rows, begin, length))
            case Columns(inner, rows, first, last):
                return b"".join(self._columns(inner, rows, first, last, begin, length))
            case Transposed():
                return b"".join(self._transposed(source, begin, length))
            case Inflated():
                if self._inflating is None or self._inflating.source != source:
                    self._inflating = Inflating(source, self._pread)
                return self._inflating.read(begin, length)
            case Strided(inner, first, shape, strides, item):
                runs = runs_of(shape, strides, item, begin, length)
                return b"".join(self.read(inner, first + at, size) for at, size in runs)

    def _pread(self, file: str, offset: int, length: int) -> bytes:
        found = os.pread(self.descriptor(file), length, offset)
        while len(found) < length:
            more = os.pread(self.descriptor(file), length - len(found), offset + len(found))
            if not more:
                raise OSError(f"{file}: ends at byte {offset + len(found):,}, {length - len(found):,} bytes too early")
            found += more
        return found

    def _woven(self, parts: tuple[Source, ...], rows: int, begin: int, length: int) -> Iterator[bytes]:
        widths = [size_of(part) // rows for part in parts]
        row, offset = divmod(begin, sum(widths) or 1)
        while length > 0:
            for part, width in zip(parts, widths, strict=True):
                if offset >= width:
                    offset -= width
                    continue
                take = min(width - offset, length)
                if take:
                    yield self.read(part, row * width + offset, take)
                length, offset = length - take, 0
            row += 1

    def _columns(self, source: Source, rows: int, first: int, last: int, begin: int, length: int) -> Iterator[bytes]:
        width, stride = last - first, size_of(source) // rows
        row, offset = divmod(begin, width or 1)
        while length > 0:
            take = min(width - offset, length)
            yield self.read(source, row * stride + first + offset, take)
            length, offset, row = length - take, 0, row + 1

    def _transposed(self, source: Transposed, begin: int, length: int) -> Iterator[bytes]:
        while length > 0:
            start, block = self._turned_block(source, begin)
            piece = block[begin - start : begin - start + length]
            yield piece
            begin, length = begin + len(piece), length - len(piece)

    def _turned_block(self, source: Transposed, begin: int) -> tuple[int, bytes]:
        """The block of the result that holds byte `begin`, and where it starts."""
        _, rows, middle, columns, inner = _five(source)
        # result: [outer, columns, middle, rows, inner]; a block is some columns of one outer index
        column_bytes = middle * rows * inner
        plane = columns * column_bytes
        index, within = divmod(begin, plane)
        per_block = max(1, BLOCK // column_bytes)
        first = within // column_bytes // per_block * per_block
        last = min(columns, first + per_block)
        start = index * plane + first * column_bytes
        key = (id(source), start)
        if self._turned is None or self._turned[0] != key:
            turned = self._turn(source, index * plane, rows, middle, columns, inner, first, last)
            self._turned = (key, start, turned)
        return start, self._turned[2]

    def _turn(
        self, source: Transposed, base: int, rows: int, middle: int, columns: int, inner: int, first: int, last: int
    ) -> bytes:
        taken, width = last - first, (last - first) * inner
        out = bytearray(taken * middle * rows * inner)
        for m in range(middle):
            offsets = (base + ((r * middle + m) * columns + first) * inner for r in range(rows))
            plane = b"".join(self.read(source.source, offset, width) for offset in offsets)
            for c in range(taken):
                at = (c * middle + m) * rows * inner
                out[at : at + rows * inner] = _strided(plane, c, taken, inner)
        return bytes(out)


def _five(source: Transposed) -> tuple[int, int, int, int, int]:
    """outer, rows, middle, columns (elements) and inner (bytes): the general picture of exchanging two dimensions."""
    low, high = sorted(source.dims)
    shape = source.shape
    inner = prod(shape[high + 1 :]) * source.item
    return prod(shape[:low]), shape[low], prod(shape[low + 1 : high]), shape[high], inner


_WORDS: dict[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I", 8: "Q"}


def _strided(plane: bytes, column: int, columns: int, inner: int) -> bytes:
    if inner in _WORDS:
        return memoryview(plane).cast(_WORDS[inner])[column::columns].tobytes()
    step = columns * inner
    return b"".join(plane[at : at + inner] for at in range(column * inner, len(plane), step))
