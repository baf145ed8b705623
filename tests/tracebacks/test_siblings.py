"""Texts written without looking at the answer: the first cause is an accepted one, and nothing else is called likely."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom
from tests.tracebacks.more_siblings import MORE
from tests.tracebacks.siblings import NONE, SIBLINGS

EVERY = (*SIBLINGS, *MORE)


@pytest.mark.parametrize(("text", "accepted"), EVERY)
def test_the_first_cause_is_accepted(text: str, accepted: tuple[str, ...]) -> None:
    found = candidates(read_symptom(text.split("\n")))
    assert (found[0].slug if found else "") in accepted


@pytest.mark.parametrize(("text", "accepted"), SIBLINGS)
def test_what_no_checkpoint_causes_is_called_so(text: str, accepted: tuple[str, ...]) -> None:
    assert bool(read_symptom(text.split("\n")).elsewhere) == (accepted == NONE)


def test_what_may_have_no_cause_gets_no_confident_one() -> None:
    open_ones = [text for text, accepted in EVERY if accepted == NONE]
    assert len(open_ones) > 8
    assert [text for text in open_ones if candidates(read_symptom(text.split("\n")))] == []
