"""The fast and the exact reading of a header agree; the exact one names the byte."""

from __future__ import annotations

import json
from typing import Any

import hypothesis.strategies as some
from hypothesis import given

from loadproof.formats.entry import BITS
from loadproof.formats.header_exact import diagnose
from loadproof.formats.header_fast import decode, group

dtypes = some.sampled_from([dtype for dtype, bits in BITS.items() if bits >= 8])
shapes = some.lists(some.integers(0, 5), max_size=4)
names = some.text(some.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8)
tensors = some.dictionaries(names.filter(lambda name: name != "__metadata__"), some.tuples(dtypes, shapes), max_size=6)
texts = some.dictionaries(some.text(max_size=5), some.text(max_size=5), max_size=3)


def build(
    tensors: dict[str, tuple[str, list[int]]], metadata: dict[str, str] | None, **style: Any
) -> tuple[bytes, int]:
    header: dict[str, object] = {} if metadata is None else {"__metadata__": metadata}
    at = 0
    for name, (dtype, shape) in tensors.items():
        size = BITS[dtype] // 8
        for dim in shape:
            size *= dim
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return json.dumps(header, **style).encode(), at


@given(tensors, some.none() | texts, some.booleans(), some.sampled_from([(",", ":"), (", ", ": ")]))
def test_both_paths_read_a_healthy_header_alike(
    tensors: dict[str, tuple[str, list[int]]],
    metadata: dict[str, str] | None,
    is_ascii: bool,
    separators: tuple[str, str],
) -> None:
    raw, size = build(tensors, metadata, ensure_ascii=is_ascii, separators=separators)
    entries, strings, problems, found = diagnose(raw, "f", 8 + len(raw) + size)
    assert problems == ()
    assert found == tuple(tensors)
    assert list(entries) == list(tensors)
    assert strings == (metadata or {})
    if fast := decode(raw, size):
        assert fast == (entries, group(entries), strings)


@given(tensors.filter(bool), some.integers(-9, 9).filter(bool))
def test_no_file_of_another_length_is_plain(tensors: dict[str, tuple[str, list[int]]], off: int) -> None:
    raw, size = build(tensors, {"format": "pt"}, separators=(",", ":"))
    assert decode(raw, size + off) is None


def test_the_headers_that_writers_make_take_the_fast_path() -> None:
    tensors = {f"model.layers.{i}.up-proj.weight": ("BF16", [4, 2]) for i in range(3)}
    for metadata in (None, {"format": "pt"}, {"format": "pt", "note": "a, b: {c}"}):
        for separators in ((",", ":"), (", ", ": ")):
            raw, size = build(tensors, metadata, separators=separators)
            assert decode(raw + b"   ", size) is not None


def test_faults_carry_the_byte_of_the_name_also_behind_wide_characters() -> None:
    raw = '{"é":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F99","shape":[1],"data_offsets":[4,8]}}'
    problems = diagnose(raw.encode(), "f", 8 + len(raw.encode()) + 8).problems
    assert [(p.code, p.tensor, p.found) for p in problems] == [("LP007", "b", "F99")]
    assert problems[0].offset == 8 + raw.encode().index(b'"b"')


def test_a_thousand_faults_of_one_kind_are_counted_not_listed() -> None:
    entry = {"dtype": "F99", "shape": [1], "data_offsets": [0, 4]}
    problems = diagnose(json.dumps({f"t{i}": entry for i in range(1000)}).encode(), "f", 10**6).problems
    assert len(problems) == 3
    assert problems[-1].text.endswith("(and 997 more like it)")
