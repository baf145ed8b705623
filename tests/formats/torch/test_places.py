"""Where the bytes of a torch file are, and what is said where they are not as the pickle says."""

from __future__ import annotations

import struct
import zipfile

import pytest

from loadproof.formats.torch.views import is_contiguous
from tests.formats.torch.writing import (
    EIGHT,
    archive,
    mapping,
    old_tensor,
    pickled,
    read,
    stream,
    tensor,
)

NOISE = bytes(i * 37 % 251 for i in range(4000))


def test_compressed_storages_are_named_with_their_tensor() -> None:
    content = archive(
        pickled(mapping(w=tensor(length=1000, shape=(1000,)))),
        {"0": NOISE},
        method=zipfile.ZIP_DEFLATED,
        packed=True,
    )
    found, problems = read(content)
    assert [(p.code, p.detail, p.tensor) for p in problems] == [("LP020", "compressed-past-end", "w")]
    assert found.stored[0].is_packed


@pytest.mark.parametrize(("after", "detail"), [(0, "compressed-past-end"), (4096, "compressed")])
def test_it_is_said_whether_a_reader_that_maps_the_file_would_run_past_its_end(after: int, detail: str) -> None:
    content = archive(
        pickled(mapping(w=tensor(length=1000, shape=(1000,)))),
        {"0": bytes(4000), **({"1": bytes(after)} if after else {})},
        extra={"archive/pad": bytes(after)} if after else None,
        method=zipfile.ZIP_DEFLATED,
        packed=True,
    )
    _, problems = read(content)
    assert next(p.detail for p in problems if p.code == "LP020") == detail


def test_the_one_storage_that_runs_past_the_end_is_kept_behind_many_that_do_not() -> None:
    tensors = {f"w{i}": tensor(str(i), 100, (100,)) for i in range(6)}
    last = {"z": tensor("6", 9000, (9000,))}
    content = archive(
        pickled(mapping(**tensors, **last)),
        {**{str(i): NOISE[:400] for i in range(6)}, "6": bytes(36000)},
        method=zipfile.ZIP_DEFLATED,
        packed=True,
    )
    _, problems = read(content)
    assert [p.tensor for p in problems if p.detail == "compressed-past-end"] == ["z"]


def test_a_short_record_is_named_with_both_sizes() -> None:
    _, problems = read(archive(storages={"0": EIGHT[:4]}))
    assert [(p.detail, p.expected, p.found) for p in problems] == [("record-short", "8 bytes", "4 bytes")]


def test_a_record_that_is_longer_is_a_warning() -> None:
    _, problems = read(archive(storages={"0": EIGHT + EIGHT}))
    assert [(p.detail, p.severity) for p in problems] == [("record-long", "warning")]


def test_two_tensors_of_one_storage_share_their_place() -> None:
    found, problems = read(archive(pickled(mapping(a=tensor(), b=tensor(shape=(1,), offset=1)))))
    assert problems == ()
    assert len({(one.begin, one.end) for one in found.stored}) == 1
    assert [one.tensor.offset for one in found.stored] == [0, 1]


def test_a_file_that_is_cut_names_the_tensors_that_are_whole() -> None:
    content = archive(
        pickled(mapping(a=tensor("0"), b=tensor("1"), c=tensor("2"))), {"0": EIGHT, "1": EIGHT, "2": EIGHT}
    )
    at = content.index(b"archive/data/2")
    found, problems = read(content[: at + 14 + 3])
    assert [p.code for p in problems] == ["LP003"]
    assert "2 of 3 tensors are whole" in problems[0].text
    whole = [one for one in found.stored if one.begin >= 0]
    assert [content[one.begin : one.end] for one in whole] == [EIGHT, EIGHT]


def test_a_file_that_is_cut_in_its_pickle_says_so() -> None:
    content = archive()
    _, problems = read(content[:70])
    assert [p.code for p in problems] == ["LP003"]
    assert "pickle is not whole" in problems[0].text


def test_the_older_form_is_followed_storage_by_storage() -> None:
    second = struct.pack("<3f", 3, 4, 5)
    content = stream(mapping(a=old_tensor(), b=old_tensor("7", 3, (3,))), {"0": EIGHT, "7": second})
    found, problems = read(content)
    assert problems == ()
    assert [content[one.begin : one.end] for one in found.stored] == [EIGHT, second]


def test_pickles_longer_than_the_first_window_are_read_on() -> None:
    values = {f"name-{i:06d}" * 4: old_tensor() for i in range(6_000)}
    found, problems = read(stream(mapping(**values)))
    assert problems == ()
    assert len(found.stored) == 6_000


@pytest.mark.parametrize(
    ("shape", "stride", "expected"),
    [((2, 3), (3, 1), True), ((2, 3), (1, 2), False), ((1, 3), (9, 1), True), ((0, 3), (1, 1), True), ((), (), True)],
)
def test_elements_that_follow_each_other(shape: tuple[int, ...], stride: tuple[int, ...], expected: bool) -> None:
    found, _ = read(archive(pickled(mapping(w=tensor(length=6, shape=shape, stride=stride))), {"0": bytes(24)}))
    assert is_contiguous(found.stored[0].tensor) is expected
