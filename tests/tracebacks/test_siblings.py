"""The pasted texts of `siblings` have one of the accepted causes first."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom
from tests.tracebacks.siblings import NONE, SIBLINGS


@pytest.mark.parametrize(("text", "accepted"), SIBLINGS)
def test_the_first_cause_is_accepted(text: str, accepted: tuple[str, ...]) -> None:
    symptom = read_symptom(text.split("\n"))
    found = candidates(symptom)
    assert (found[0].slug if found else "") in accepted
    assert bool(symptom.elsewhere) == (accepted == NONE)
