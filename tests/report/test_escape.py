"""Nothing that a file says can move the cursor, fake a line or start a workflow command."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadproof.report.escape import LIMIT, clean, guard_line
from loadproof.report.style import fold_line, paint

DANGEROUS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(alphabet=st.characters(), max_size=40))
def test_what_is_left_is_printable_on_one_line(text: str) -> None:
    shown = clean(text)
    assert not {unicodedata.category(character) for character in shown} & DANGEROUS
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")


@given(st.text(alphabet=st.characters(exclude_categories=("C", "Z")), max_size=40))
def test_plain_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb\u2028", "a\\u200bb\\u2028"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("é 漢字 ok", "é 漢字 ok"),
    ],
)
def test_escapes_are_readable(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_long_text_is_cut() -> None:
    assert len(clean("a" * 10_000)) == LIMIT
    assert clean("a" * 10_000).endswith("…")


@pytest.mark.parametrize("line", ["::error::x", "  ::add-mask::x", "\t::x"])
def test_no_line_starts_a_workflow_command(line: str) -> None:
    assert not guard_line(line).lstrip().startswith("::")
    assert guard_line("a ::b") == "a ::b"


@given(
    st.lists(st.tuples(st.sampled_from(["", "bold", "command"]), st.text("ab   ", max_size=30)), max_size=5),
    st.integers(30, 60),
)
def test_folding_keeps_every_word_in_order(spans: list[tuple[str, str]], width: int) -> None:
    pieces = fold_line(tuple(spans), width, 6)
    folded = " ".join(" ".join(paint(piece, False).split()) for piece in pieces).split()
    assert "".join(folded) == "".join("".join(text for _, text in spans).split())
