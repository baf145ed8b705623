"""What a finding offers must work: the first lossless fix of every bad example is carried out and checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.better import ORDER, is_better
from loadproof.api.fixing import fix
from loadproof.core.case import Report
from tests.rules.case_files import Example, read_pages
from tests.rules.judge import remember_expectations, report_of

CASES = Path(__file__).parent / "cases"
BAD = [one for one in read_pages(CASES) if one.kind == "bad" and "names-only" not in one.expect]


@pytest.mark.parametrize("example", BAD, ids=lambda example: example.id)
def test_a_lossless_fix_removes_its_finding_and_worsens_nothing(example: Example, tmp_path: Path) -> None:
    remember_expectations()
    before = report_of(example, tmp_path)
    first = before.findings[0]
    if not any(offered.safety == "lossless" and offered.edits for offered in first.fixes):
        pytest.skip("nothing lossless to carry out")
    repaired = fix(tmp_path / "model", [first.code], apply=True)
    assert repaired.after is not None, [choice.why for choice in repaired.choices]
    assert first.code not in _loud(repaired.after)
    assert ORDER.index(repaired.after.verdict) >= ORDER.index(before.verdict)
    assert set(_loud(repaired.after)) <= set(_loud(before))


@pytest.mark.parametrize("example", BAD, ids=lambda example: example.id)
def test_all_lossless_fixes_together_leave_something_better(example: Example, tmp_path: Path) -> None:
    remember_expectations()
    before = report_of(example, tmp_path)
    loud = [finding for finding in before.findings if finding.severity != "info"]
    if sum(any(offered.safety == "lossless" and offered.edits for offered in f.fixes) for f in loud) < 2:
        pytest.skip("no two fixes to carry out together")
    repaired = fix(tmp_path / "model", apply=True)
    assert repaired.restored == ""
    assert repaired.after is not None
    assert is_better(repaired.after, before)


def _loud(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.severity != "info"]
