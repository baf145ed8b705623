"""What `explain` says to error texts as people paste them."""

from __future__ import annotations

import pytest

from loadproof.rules import RULES
from loadproof.tracebacks import candidates, read_symptom
from loadproof.tracebacks.knowledge import causes
from tests.cli.process import run
from tests.tracebacks.pastes import Paste, read_pastes

PASTES = list(read_pastes())


@pytest.mark.parametrize("paste", PASTES, ids=[paste.name for paste in PASTES])
def test_the_first_cause_fits_and_no_wrong_one_is_likely(paste: Paste) -> None:
    symptom = read_symptom(paste.text.split("\n"))
    found = candidates(symptom)
    if paste.accepted:
        assert found
        assert found[0].slug in paste.accepted
    else:
        assert [cause.slug for cause in found if cause.confidence != "possible"] == []


def test_a_third_of_the_texts_has_nothing_to_do_with_a_checkpoint() -> None:
    assert sum(not paste.accepted for paste in PASTES) * 3 >= len(PASTES) - 3


def test_the_accepted_slugs_exist() -> None:
    known = {rule.slug for rule in RULES} | {cause.slug for cause in causes().values()}
    assert {slug for paste in PASTES for slug in paste.accepted} <= known


def test_a_process_of_its_own_compares_both_sides_of_a_report() -> None:
    """The rules ask a reader what renamed names would load: the command has to bring it along."""
    paste = next(paste for paste in PASTES if paste.name == "report-orig-mod")
    assert "1. likely   LP401 wrapper-prefix" in run("explain", "-", text=paste.text).stdout
