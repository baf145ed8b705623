"""Kinds of faults of quantized checkpoints: the right cause first, no harm in a repair, nothing said of healthy ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.api.better import is_better
from loadproof.api.proof import outcome_of
from tests.rules.judge import checking_only, remembered_expectations
from tests.zoo.quantized_kinds import Fault, every_fault, near_misses

FAULTS, HEALTHY = list(every_fault()), list(near_misses())
_KINDS = sorted({fault.kind for fault in FAULTS})


def sample() -> Iterator[Fault]:
    """Two of every kind, of different models and methods in turn."""
    for number, kind in enumerate(_KINDS):
        of_kind = [fault for fault in FAULTS if fault.kind == kind]
        yield of_kind[number % len(of_kind)]
        if len(of_kind) > 1:
            yield of_kind[(number + 1 + len(of_kind) // 2) % len(of_kind)]


@pytest.fixture(autouse=True)
def _elsewhere() -> Iterator[None]:
    with remembered_expectations(), checking_only():
        yield


def judge(fault: Fault, folder: Path) -> None:
    report = check(fault.checkpoint.write(folder / "model"), use_cache=False)
    loud = [finding for finding in report.findings if finding.severity != "info"]
    first = report.findings[0].slug if report.findings else ""
    assert first in fault.first if fault.first else not loud, [repr(finding) for finding in report.findings]
    assert not [finding for finding in report.findings if "the rule itself failed" in finding.headline]
    assert len(loud) <= 3
    assert not report.unexplained
    repairs = [fix for finding in report.findings for fix in finding.fixes if fix.safety == "lossless" and fix.edits]
    for fix in repairs[:1]:
        made = outcome_of(report, fix.edits)
        assert is_better(made, report) or all(finding.severity == "info" for finding in report.findings)
        assert not [finding for finding in made.findings if finding.severity != "info"]


def test_there_are_more_than_twenty_kinds() -> None:
    assert len(_KINDS) >= 20


@pytest.mark.parametrize("fault", sample(), ids=lambda fault: fault.id)
def test_the_right_cause_comes_first(fault: Fault, tmp_path: Path) -> None:
    judge(fault, tmp_path)


@pytest.mark.parametrize("fault", HEALTHY[::3], ids=lambda fault: fault.id)
def test_nothing_is_said_of_a_healthy_checkpoint(fault: Fault, tmp_path: Path) -> None:
    judge(fault, tmp_path)


@pytest.mark.oracle
@pytest.mark.parametrize("fault", [*FAULTS, *HEALTHY], ids=lambda fault: fault.id)
def test_every_kind_on_every_model_and_method(fault: Fault, tmp_path: Path) -> None:
    judge(fault, tmp_path)
