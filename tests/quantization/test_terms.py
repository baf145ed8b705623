"""Shapes against the terms of a layout."""

from __future__ import annotations

import pytest

from loadproof.quantization.terms import common_sizes, fits, shape_of, solve


@pytest.mark.parametrize(
    ("terms", "shape", "known", "found"),
    [
        ("I*b/32, O", (512, 4096), {"b": 4}, {"b": 4, "I": 4096, "O": 4096}),
        ("I*b/32, O", (384, 4096), {"b": 3}, {"b": 3, "I": 4096, "O": 4096}),
        ("I/g, O", (32, 4096), {"I": 4096, "O": 4096}, {"I": 4096, "O": 4096, "I/g": 32}),
        ("O/n, I/k", (32, 86), {"O": 4096, "I": 11008}, {"O": 4096, "I": 11008, "O/n": 32, "I/k": 86}),
        ("O*I/2, 1", (8, 1), {"O": 4, "I": 4}, {"O": 4, "I": 4}),
        ("O*I/2, 1", (8, 1), {}, {"O*I/2": 8}),
        ("*", (7,), {}, {}),
        ("", (), {}, {}),
    ],
)
def test_a_shape_solves_its_terms(terms, shape, known, found) -> None:
    assert solve(terms, shape, known) == found


@pytest.mark.parametrize(
    ("terms", "shape", "known"),
    [
        ("I*b/32, O", (512,), {"b": 4}),
        ("I*b/32, O", (512, 4096), {"b": 4, "I": 512}),
        ("I*b/32, O", (5, 8), {"b": 3}),  # 5 * 32 is no multiple of 3
        ("O, I/16", (8, 3), {"O": 8, "I": 64}),
        ("I/g, O", (65, 4), {"I": 64, "O": 4}),  # more groups than numbers
        ("1", (2,), {}),
        ("O*I/2, 1", (8, 1), {"O": 4, "I": 5}),
    ],
)
def test_a_shape_contradicts_its_terms(terms, shape, known) -> None:
    assert solve(terms, shape, known) is None


def test_terms_give_a_shape_once_every_size_is_known() -> None:
    assert shape_of("O/n, I/k", {"O": 130, "I": 64, "n": 128, "k": 128}) == (2, 1)
    assert shape_of("O/n, I/k", {"O": 130, "I": 64}) is None
    assert shape_of("*, O", {"O": 4}) is None


def test_many_lengths_prove_one_group() -> None:
    assert common_sizes({(4096, 32), (11008, 86)}) == (128,)
    assert common_sizes({(64, 1)})[0] == 128  # one group of all: any size from 64 on
    assert common_sizes({(4096, 32), (4096, 64)}) == ()
    assert fits(-1, 64, 1)
    assert not fits(-1, 64, 2)
    assert not fits(0, 64, 1)
