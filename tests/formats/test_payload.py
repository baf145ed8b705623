"""The bytes of a tensor come in the order of its elements, however its file lays them out."""

from __future__ import annotations

import random
from itertools import product
from math import prod
from pathlib import Path

import pytest

from loadproof.core.tensors import Shape, TensorPart, TensorRecord
from loadproof.formats.base import of_records, size_of
from loadproof.formats.payload import read_range
from loadproof.storage import open_folder

ELEMENTS = 4096
STORED = b"".join(number.to_bytes(2, "little") for number in range(ELEMENTS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "f").write_bytes(b"head" + STORED)
    return tmp_path


def expected(shape: Shape, strides: Shape, offset: int) -> bytes:
    """Element by element, as torch walks a view."""
    places = (offset + sum(i * s for i, s in zip(at, strides, strict=True)) for at in product(*map(range, shape)))
    return b"".join(STORED[2 * place : 2 * place + 2] for place in places)


def view(shape: Shape, strides: Shape, offset: int) -> TensorRecord:
    last = offset + sum((dim - 1) * stride for dim, stride in zip(shape, strides, strict=True))
    return TensorRecord("v", "BF16", shape, "f", 4 + 2 * offset, 4 + 2 * last + 2, strides)


VIEWS = [
    ((6, 5), (5, 1), 0),  # dense
    ((5, 6), (1, 5), 3),  # transposed
    ((4, 3), (50, 2), 7),  # a slice of columns
    ((2, 3, 4), (100, 4, 1), 1),  # a slice of a larger tensor
    ((3, 4), (0, 1), 9),  # expanded
    ((4, 1, 2), (10, 999, 1), 5),  # a dimension of one, whatever its stride
    ((), (), 11),
    ((7,), (3,), 2),
]


@pytest.mark.parametrize(("shape", "strides", "offset"), VIEWS)
def test_a_strided_view_reads_as_its_elements(folder: Path, shape: Shape, strides: Shape, offset: int) -> None:
    record, whole = view(shape, strides, offset), expected(shape, strides, offset)
    rng = random.Random(3)
    with open_folder(str(folder)) as opened:
        assert read_range(opened, record, 0, len(whole)) == whole
        for _ in range(20):
            begin = rng.randrange(len(whole))
            length = rng.randrange(1, len(whole) + 4)
            assert read_range(opened, record, begin, length) == whole[begin : begin + length]
    assert size_of(record) == 2 * prod(shape)


def test_a_tensor_without_elements_has_no_bytes(folder: Path) -> None:
    with open_folder(str(folder)) as opened:
        assert read_range(opened, view((0, 3), (3, 1), 0), 0, 10) == b""


def test_blocks_in_several_files_read_as_one_tensor(tmp_path: Path) -> None:
    """A 4 x 6 tensor cut as two ranks and two columns hold it."""
    parts = []
    for number, (corner, shape) in enumerate([((0, 0), (4, 2)), ((0, 2), (1, 4)), ((1, 2), (3, 4))]):
        cells = [(corner[0] + i) * 6 + corner[1] + j for i in range(shape[0]) for j in range(shape[1])]
        (tmp_path / str(number)).write_bytes(b"xy" + bytes(cells))
        parts.append(TensorPart(str(number), 2, 2 + len(cells), corner, shape))
    record = TensorRecord("w", "U8", (4, 6), "", 0, 0, parts=tuple(parts))
    assert size_of(record) == 24
    with open_folder(str(tmp_path)) as opened:
        assert read_range(opened, record, 0, 24) == bytes(range(24))
        assert read_range(opened, record, 5, 9) == bytes(range(5, 14))


def test_a_gap_between_blocks_is_said(tmp_path: Path) -> None:
    (tmp_path / "0").write_bytes(bytes(4))
    record = TensorRecord("w", "U8", (4,), "", 0, 0, parts=(TensorPart("0", 0, 2, (0,), (2,)),))
    with open_folder(str(tmp_path)) as opened, pytest.raises(ValueError, match="no part holds the element at \\[2\\]"):
        read_range(opened, record, 0, 4)


def test_elements_below_a_byte_are_not_gathered_one_by_one(folder: Path) -> None:
    record = TensorRecord("w", "F4", (2, 2), "f", 0, 2, (1, 2))
    with open_folder(str(folder)) as opened, pytest.raises(ValueError, match="F4"):
        read_range(opened, record, 0, 2)


def test_views_of_one_storage_are_tensors_of_their_own() -> None:
    records = [TensorRecord("a", "BF16", (4,), "f", 0, 8), TensorRecord("b", "BF16", (2,), "f", 4, 8)]
    held = of_records(records)
    assert (held.names, held.bytes) == (("a", "b"), 12)
    assert [record.begin for record in held.locate({"b", "c"})] == [4]
