from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loadproof.core.families import names_of
from loadproof.rules.rows import count_rows, meet, subtract, tally
from tests.rules.build import row

axis = st.integers(1, 63).map(lambda bits: tuple(place for place in range(6) if bits >> place & 1))
products = st.integers(0, 3).flatmap(lambda width: st.tuples(*[st.tuples(axis, axis)] * width))


@given(products)
def test_cutting_a_row_leaves_exactly_the_names_not_taken(pairs: tuple[tuple[tuple[int, ...], ...], ...]) -> None:
    template = ".".join(["x", *["{}"] * len(pairs)])
    whole, taken = row("missing", template, *[a for a, _ in pairs]), row("missing", template, *[b for _, b in pairs])
    left = [name for piece in subtract([whole], [taken]) for name in names_of(template, piece.axes)]
    shared = [name for piece in meet([whole], [taken]) for name in names_of(template, piece.axes)]
    assert len(left) == len(set(left))
    assert set(left) == set(names_of(template, whole.axes)) - set(names_of(template, taken.axes))
    assert sorted(shared) == sorted(set(names_of(template, whole.axes)) & set(names_of(template, taken.axes)))


def test_rows_of_another_kind_or_name_are_not_touched() -> None:
    rows = [row("missing", "a.{}.w", (0, 1)), row("unexpected", "a.{}.w", (0, 1)), row("missing", "b")]
    assert subtract(rows, [row("missing", "a.{}.w", (1,))]) == [row("missing", "a.{}.w", (0,)), rows[1], rows[2]]


def test_a_name_claimed_twice_counts_once() -> None:
    rows = [row("missing", "a.{}.w", (0, 1, 2))]
    claimed = meet(rows, [row("missing", "a.{}.w", (0, 1)), row("missing", "a.{}.w", (1, 2, 9))])
    assert count_rows(claimed) == 3


def test_tally_reads_like_the_report() -> None:
    rows = [row("unexpected", "a.{}", (0, 1)), row("missing", "b"), row("mismatched", "c", expected=(1,), found=(2,))]
    assert tally(rows) == "1 missing, 2 unexpected, 1 mismatched"
