"""What a finding offers must work: the first lossless fix of every bad example is carried out and checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.better import ORDER, is_better
from loadproof.api.fixing import fix
from loadproof.core.case import Report
from tests.rules.case_files import Example, read_pages
from tests.rules.judge import remembered_expectations, report_of

CASES = Path(__file__).parent / "cases"
# Which findings offer a lossless fix the pages say, and test_cases.py holds them to it.
OFFERED = [one for one in read_pages(CASES) if one.lossless and not one.names_only]
ONE = [one for one in OFFERED if one.one("first") in one.lossless]
SEVERAL = [one for one in OFFERED if len(one.lossless) > 1 and "repaired" in one.expect]


@pytest.mark.parametrize("example", ONE, ids=lambda example: example.id)
def test_a_lossless_fix_removes_its_finding_and_worsens_nothing(example: Example, tmp_path: Path) -> None:
    with remembered_expectations():
        before = report_of(example, tmp_path)
        first = before.findings[0]
        repaired = fix(tmp_path / "model", [first.code], apply=True)
    assert repaired.after is not None, [choice.why for choice in repaired.choices]
    assert first.code not in _loud(repaired.after)
    assert ORDER.index(repaired.after.verdict) >= ORDER.index(before.verdict)
    assert set(_loud(repaired.after)) <= set(_loud(before))


@pytest.mark.parametrize("example", SEVERAL, ids=lambda example: example.id)
def test_all_lossless_fixes_together_leave_something_better(example: Example, tmp_path: Path) -> None:
    with remembered_expectations():
        before = report_of(example, tmp_path)
        repaired = fix(tmp_path / "model", apply=True)
    assert repaired.restored == ""
    assert repaired.after is not None
    assert is_better(repaired.after, before)


def _loud(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.severity != "info"]
