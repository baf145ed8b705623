"""The whole check on every hostile file: the rule speaks, nothing runs or hangs, healthy files stay clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import check
from tests.hostile import index_cases, safetensors_cases, unread_cases
from tests.hostile.making import Case
from tests.timing import at_most

NO_CONFIG = "LP016"  # these folders hold weights only
CASES = [*safetensors_cases.cases(), *index_cases.cases(), *unread_cases.cases()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_hostile_checkpoint_gets_its_finding(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = tmp_path / "canary"
    monkeypatch.setenv("LOADPROOF_CANARY", str(canary))
    root = case.write(tmp_path)
    with at_most(seconds=5):
        report = check(str(root), use_cache=False, follow_links=False)  # as one checks a stranger's folder
    codes = {finding.code for finding in report.findings} - {NO_CONFIG}
    if case.expect == "ok":
        assert codes == set()
    elif case.code:
        assert case.code in codes
    if case.expect == "error":
        assert report.verdict != "loads"
    assert not canary.exists()


@pytest.mark.parametrize("case", [c for c in CASES if "symlink" in c.id], ids=lambda case: case.id)
def test_a_hostile_link_that_is_followed_runs_and_hangs_nothing(case: Case, tmp_path: Path) -> None:
    with at_most(seconds=5):
        report = check(str(case.write(tmp_path)), use_cache=False)
    assert report.verdict != "loads" or case.expect == "ok"
