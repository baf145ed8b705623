"""Places are values: one way to show them, nobody reads that text again."""

from __future__ import annotations

import pytest

from loadproof.core.places import NOWHERE, Place, about, in_files, source_line, tensors_at


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (Place("config.json"), "config.json"),
        (Place("config.json", 37), "config.json:37"),
        (Place("config.json", 37, "lm_head.weight", 8), "config.json:37"),
        (Place("m.safetensors", offset=12_345), "m.safetensors, byte 12,345"),
        (Place("m.safetensors", offset=0), "m.safetensors, byte 0"),
        (Place(tensor="lm_head.weight"), "lm_head.weight"),
        (tensors_at("layers.{}.x", ((0, 1, 2),)), "layers.{0-2}.x"),
        (about("tensors"), "tensors"),
        (in_files(("a",)), "a"),
        (in_files(("a", "b", "c")), "a and 2 more"),
        (in_files(("a", "b", "c"), 2), "a, b and 1 more"),
        (in_files(("a", "b"), 3), "a, b"),
        (in_files(()), "the file"),
        (NOWHERE, ""),
    ],
)
def test_a_place_is_shown_in_one_way(place: Place, shown: str) -> None:
    assert str(place) == shown


def test_a_file_name_that_looks_like_a_line_stays_a_file() -> None:
    assert Place("config.json:37").line is None
    assert Place("config.json:37") != Place("config.json", 37)


def test_only_a_place_in_one_file_has_a_sole_file() -> None:
    assert in_files(("a",)).sole_file == "a"
    assert in_files(("a", "b")).sole_file == in_files(("a", "b"), 2).sole_file == about("a").sole_file == ""


def test_a_line_of_the_source_is_read_once() -> None:
    assert source_line("modeling_x.py:873") == Place("modeling_x.py", 873)
    assert source_line("modeling_x.py") == Place("modeling_x.py")
    assert source_line("a:b") == Place("a:b")
