"""Boxes of indices by the families that hold them."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from loadproof.core.tensors import Family
from loadproof.quantization.cells import cells

AXIS = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True).map(lambda axis: tuple(sorted(axis)))
AXES = st.lists(AXIS, min_size=2, max_size=2)


@given(st.lists(AXES.map(tuple), min_size=1, max_size=5))
def test_every_index_lies_in_one_cell_with_all_its_families(boxes) -> None:
    families = [Family(f"part{number}", axes, None, None) for number, axes in enumerate(boxes)]
    found: dict[tuple[int, ...], tuple[str, ...]] = {}
    for axes, held in cells(families):
        for point in product(*axes):
            assert point not in found
            found[point] = tuple(sorted(family.template for family in held))
    wanted = {
        point: tuple(f.template for f in families if all(n in axis for n, axis in zip(point, f.axes, strict=True)))
        for family in families
        for point in product(*family.axes)
    }
    assert found == wanted


def test_modules_without_indices_are_one_cell() -> None:
    families = [Family("lm_head.weight", (), None, None), Family("lm_head.scale", (), None, None)]
    assert list(cells(families)) == [((), tuple(families))]
