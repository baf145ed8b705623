"""Folding names into families loses nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loadproof.core.families import as_products, count, fold, fold_group, join_name, names_of, show, split_name, union

PIECES = [
    "model",
    "layers",
    "0",
    "1",
    "7",
    "10",
    "11",
    "123",
    "007",
    "w1",
    "w2",
    "{",
    "}",
    "{}",
    "",
    "a\nb",
    "é",
    "9" * 12,
]
names = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=7).map(".".join),
    st.text(alphabet="ab.019{}\n٣", max_size=12),
)
pairs = st.lists(st.tuples(names, st.sampled_from(["F32", "BF16", None])), max_size=60)
moe = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 120), st.sampled_from(["up", "down", "w1"])).map(
        lambda t: (f"model.layers.{t[0]}.experts.{t[1]}.{t[2]}.weight", None)
    ),
    max_size=80,
)
axes_of_two = st.tuples(
    st.sets(st.integers(0, 30), min_size=1, max_size=6), st.sets(st.integers(0, 30), min_size=1, max_size=6)
).map(lambda pair: tuple(tuple(sorted(axis)) for axis in pair))


@given(st.one_of(pairs, moe))
def test_families_expand_to_exactly_the_given_names(items: list[tuple[str, str | None]]) -> None:
    expanded = [(name, key) for template, axes, key in fold(items) for name in names_of(template, axes)]
    assert sorted(expanded, key=repr) == sorted(set(items), key=repr)
    assert sum(count(axes) for _, axes, _ in fold(items)) == len(expanded)


@given(st.one_of(pairs, moe))
def test_fold_cuts_names_as_split_name_does(items: list[tuple[str, str | None]]) -> None:
    expected = {(split_name(name)[0], key) for name, key in items}
    assert {(template, key) for template, _, key in fold(items)} == expected


@given(names)
def test_split_and_join_are_inverse(name: str) -> None:
    assert join_name(*split_name(name)) == name


@given(st.lists(axes_of_two, min_size=1, max_size=5))
def test_union_equals_the_products_of_the_members(products: list[tuple[tuple[int, ...], ...]]) -> None:
    members = {(i, j) for first, second in products for i in first for j in second}
    assert union(products) == as_products(members)


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_products_are_disjoint_and_cover(members: set[tuple[int, int, int]]) -> None:
    products = as_products(members)
    listed = [(i, j, k) for a, b, c in products for i in a for j in b for k in c]
    assert sorted(listed) == sorted(members)


def test_a_full_grid_is_one_family() -> None:
    grid = [(f"layers.{i}.experts.{e}.up.weight", "BF16") for i in range(12) for e in range(130)]
    assert fold(grid) == [("layers.{}.experts.{}.up.weight", (tuple(range(12)), tuple(range(130))), "BF16")]


def test_a_literal_brace_pair_is_no_hole() -> None:
    names = ["a.{}", "a.0", "a.1"]
    assert [
        name for template, axes, _ in fold([(n, None) for n in names]) for name in names_of(template, axes)
    ] == names


def test_digits_inside_words_are_no_indices() -> None:
    folded = fold([(f"layers.{i}.w{j}", None) for i in range(3) for j in (1, 3)])
    assert folded == [("layers.{}.w1", ((0, 1, 2),), None), ("layers.{}.w3", ((0, 1, 2),), None)]


def test_leading_zeros_and_long_numbers_stay_as_written() -> None:
    odd = ["layers.00.w", "layers.01.w", "layers.1234567890.w"]
    assert sorted(template for template, _, _ in fold([(name, None) for name in odd])) == sorted(odd)


def test_names_with_very_many_numbers_stay_whole() -> None:
    endless = ".".join("0" * 5000)
    assert split_name(endless) == (endless, ())
    assert fold([(endless, None)]) == [(endless, (), None)]


def test_a_word_with_ten_thousand_numbers_is_folded_in_linear_time() -> None:
    assert len(list(fold_group("t0000", [f"t{i}" for i in range(1000, 10_000)]))) == 9000


def test_show_prints_ranges_steps_and_gaps() -> None:
    assert show("model.layers.{}.up", (tuple(range(28)),)) == "model.layers.{0-27}.up"
    assert show("model.layers.{}.up", ((3, 7, 11, 15),)) == "model.layers.{3-15:4}.up"
    assert show("model.layers.{}.up", ((5,),)) == "model.layers.5.up"
    assert show("lm_head.weight", ()) == "lm_head.weight"
