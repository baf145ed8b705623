"""Set algebra on boxes against plain sets, for few boxes and for many: they go different ways."""

from __future__ import annotations

import random
from itertools import product

import pytest

from loadproof.core.boxes import FEW, Nearby, intersect, points, subtract_all
from loadproof.core.outcome import Row
from loadproof.core.tensors import Axes
from loadproof.rules.rows import meet, subtract

SEEDS = range(40)


def _boxes(chance: random.Random, number: int) -> list[Axes]:
    """Disjoint boxes of two axes: the second index tells them apart."""
    seconds = list(range(3 * number))
    chance.shuffle(seconds)
    return [
        (tuple(sorted(chance.sample(range(6), chance.randint(1, 4)))), tuple(sorted(seconds[3 * i : 3 * i + 2])))
        for i in range(number)
    ]


def _members(boxes: list[Axes]) -> list[tuple[int, ...]]:
    return sorted(point for box in boxes for point in points(box))


def _rows(boxes: list[Axes]) -> list[Row]:
    return [Row("missing", "a.{}.b.{}", box) for box in boxes]


def _pair(seed: int) -> tuple[list[Axes], list[Axes]]:
    chance = random.Random(seed)
    ours = _boxes(chance, chance.choice((1, 5, 3 * FEW)))
    theirs = _boxes(chance, chance.choice((1, 5, 3 * FEW)))
    return ours, theirs + chance.sample(ours, len(ours) // 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_left_is_the_difference_of_the_sets(seed: int) -> None:
    ours, theirs = _pair(seed)
    left = subtract_all(ours, theirs)
    assert _members(left) == sorted(set(_members(ours)) - set(_members(theirs)))


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_that_share_a_member_are_near(seed: int) -> None:
    ours, theirs = _pair(seed)
    nearby = Nearby(theirs)
    for box in ours:
        meeting = {number for number, other in enumerate(theirs) if intersect(box, other) is not None}
        assert meeting <= set(nearby.near(box))
        assert list(nearby.near(box)) == sorted(nearby.near(box))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_met_and_subtracted_name_by_name(seed: int) -> None:
    ours, theirs = _pair(seed)
    both = set(_members(ours)) & set(_members(theirs))
    met = [row.axes for row in meet(_rows(ours), _rows(theirs))]
    assert _members(met) == sorted(both)
    left = [row.axes for row in subtract(_rows(ours), _rows(theirs))]
    assert _members(left) == sorted(set(_members(ours)) - both)


def test_a_row_of_another_kind_or_name_is_not_met() -> None:
    row = Row("missing", "a.{}.b.{}", ((0,), (1,)))
    others = [Row("unexpected", row.template, row.axes), Row("missing", "a.{}.c.{}", row.axes)]
    assert meet([row], others) == []
    assert subtract([row], others) == [row]


def test_few_of_many_are_near() -> None:
    nearby = Nearby(((i,), (j,)) for i, j in product(range(40), range(40)))
    assert len(list(nearby.near(((3,), (5,))))) == 40
