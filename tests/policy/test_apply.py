"""What a policy makes of a report, and of its exit status."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loadproof.api.verdict import status_of
from loadproof.core.case import Report
from loadproof.core.findings import Finding
from loadproof.core.outcome import Row
from loadproof.policy.apply import applied
from loadproof.policy.base import Policy
from tests.report.build import PLAN_FINDING, report

WARNING = replace(PLAN_FINDING, code="LP106", slug="total-size-wrong", severity="warning", rows=(), explains=0)
OTHER = replace(PLAN_FINDING, code="LP401", slug="wrapper-prefix")


def under(*findings: Finding, verdict: Any = "loads-wrong", unexplained: tuple[Row, ...] = (), **policy: Any) -> Report:
    return applied(report(*findings, verdict=verdict, unexplained=unexplained), Policy(**policy))


@pytest.mark.parametrize("word", ["LP301", "lp301", "layer-plan-mismatch", "LP3", "LP30"])
def test_a_finding_is_accepted_by_code_slug_or_family(word: str) -> None:
    done = under(PLAN_FINDING, OTHER, ignore=(word,))
    assert [finding.code for finding in done.findings] == ["LP401"]
    assert [(one.finding.code, one.reason) for one in done.accepted] == [("LP301", "ignored")]


@pytest.mark.parametrize("word", ["LP302", "LP31", "layer-plan", "plan-mismatch"])
def test_a_word_that_names_another_accepts_nothing(word: str) -> None:
    untouched = report(PLAN_FINDING)
    assert applied(untouched, Policy(ignore=(word,))) is untouched


def test_what_is_not_selected_is_set_apart_and_not_hidden() -> None:
    done = under(PLAN_FINDING, OTHER, select=("LP4",))
    assert [finding.code for finding in done.findings] == ["LP401"]
    assert done.accepted[0].reason == "not selected"


def test_the_verdict_stays_and_does_not_fail_where_all_that_carries_it_is_accepted() -> None:
    done = under(PLAN_FINDING, ignore=("LP301",))
    assert (done.verdict, status_of(done)) == ("loads-wrong", 0)
    assert "accepted error[LP301]" in done.text()
    assert "verdict  loads-wrong" in done.text()


def test_one_cause_that_is_not_accepted_still_fails() -> None:
    assert status_of(under(PLAN_FINDING, OTHER, ignore=("LP301",))) == 1


def test_rows_that_nothing_explains_still_fail() -> None:
    rows = (Row("missing", "a", (), (1,)),)
    assert status_of(under(PLAN_FINDING, unexplained=rows, ignore=("LP301",))) == 1


def test_accepting_what_does_not_carry_the_verdict_changes_nothing() -> None:
    assert status_of(under(PLAN_FINDING, WARNING, ignore=("LP106",))) == 1
    assert status_of(under(WARNING, verdict="fails", ignore=("LP106",))) == 1


def test_a_verdict_without_any_finding_fails_under_every_policy() -> None:
    assert status_of(under(verdict="fails", ignore=("LP",), select=("LP3",))) == 1


@pytest.mark.parametrize(("severity", "fail_on", "status"), [("warning", "error", 0), ("warning", "warning", 1)])
def test_another_severity_decides_the_status(severity: str, fail_on: str, status: int) -> None:
    done = under(PLAN_FINDING, severity={"LP301": severity})
    assert done.findings[0].severity == severity
    assert status_of(done, fail_on) == status


def test_a_raised_severity_fails_a_checkpoint_that_loads() -> None:
    assert status_of(under(WARNING, verdict="loads", severity={"LP1": "error"})) == 1


def test_the_longest_word_that_names_a_code_decides() -> None:
    done = under(PLAN_FINDING, severity={"LP3": "info", "LP301": "warning", "LP": "error"})
    assert done.findings[0].severity == "warning"


def test_an_inconclusive_verdict_is_no_matter_of_accepted_findings() -> None:
    assert status_of(under(WARNING, verdict="inconclusive", ignore=("LP106",))) == 3
