"""The arithmetic of FSDP1 slices, on the numbers of two reported checkpoints."""

from __future__ import annotations

import pytest

from loadproof.rules.evidence.rank_slices import solve

ROWS, WIDTH = 128266, 4096
SMALL_ROWS, SMALL_WIDTH = 46336, 5120


def test_reported_embedding_of_131344896_numbers_is_rank_0_of_8() -> None:
    unit = [(ROWS * WIDTH, 131344896), (WIDTH, 0), (ROWS * WIDTH, 0)]
    found = solve(unit)
    assert found is not None
    assert (found[0], found[2]) == (8, 131344896)
    assert found[1][0] == 0


def test_reported_half_norm_and_whole_head_are_rank_1_of_2() -> None:
    matrix = SMALL_ROWS * SMALL_WIDTH
    assert solve([(matrix, 0), (SMALL_WIDTH, 2560), (matrix, matrix)]) == (2, (1,), matrix + 2560)


@pytest.mark.parametrize("world", [2, 3, 7, 64])
def test_every_rank_is_found_from_what_it_holds(world: int) -> None:
    sizes = [7680, 48, 7680]
    total, chunk = sum(sizes), -(-sum(sizes) // world)
    for rank in range(world):
        held, begin = [], 0
        for size in sizes:
            held.append(max(0, min(begin + size, (rank + 1) * chunk) - max(begin, rank * chunk)))
            begin += size
        found = solve(list(zip(sizes, held, strict=True)))
        assert found is not None
        assert rank in found[1] or found[0] != world
        assert sum(held) == min(chunk, total - rank * chunk)


def test_a_length_that_no_split_gives_is_not_solved() -> None:
    assert solve([(7680, 7001), (48, 48), (7680, 7680)]) is None
