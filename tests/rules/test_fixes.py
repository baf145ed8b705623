"""What a finding offers must work: the first lossless fix of every bad example is carried out and checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.fixing import fix
from loadproof.core.case import Report
from tests.rules.case_files import Example, read_pages
from tests.rules.judge import remember_expectations, report_of

CASES = Path(__file__).parent / "cases"
BAD = [one for one in read_pages(CASES) if one.kind == "bad" and "names-only" not in one.expect]
# From worse to better. A quantized checkpoint cannot be judged to the end, so its repair ends as inconclusive.
ORDER = ("fails", "loads-wrong", "inconclusive", "loads")


@pytest.mark.parametrize("example", BAD, ids=lambda example: example.id)
def test_a_lossless_fix_removes_its_finding_and_worsens_nothing(example: Example, tmp_path: Path) -> None:
    remember_expectations()
    before = report_of(example, tmp_path)
    first = before.findings[0]
    if not any(offered.safety == "lossless" and offered.edits for offered in first.fixes):
        pytest.skip("nothing lossless to carry out")
    repaired = fix(tmp_path / "model", [first.code], apply_it=True)
    assert repaired.after is not None, [choice.why for choice in repaired.choices]
    assert first.code not in _loud(repaired.after)
    assert ORDER.index(repaired.after.verdict) >= ORDER.index(before.verdict)
    assert set(_loud(repaired.after)) <= set(_loud(before))


def _loud(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.severity != "info"]
