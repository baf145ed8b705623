"""Ten times the input takes about ten times the time: no stage and no rule is quadratic in what a file holds.

Sizes are small, so that a quadratic place shows as a factor of fifty or more against the bar of some twenty.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.heavy_inputs import HEAVY

from loadproof.api import check
from loadproof.core.case import Report
from tests.timing import cpu_seconds

SMALL, LARGE = 300, 3_000
NOISE = 1.0  # CPU seconds that a busy machine may add
FACTOR = 20


def _cost(kind: str, n: int, folder: Path) -> float:
    if not folder.exists():
        folder.mkdir()
        HEAVY[kind](folder, n)
    reports: list[Report] = []
    cost = cpu_seconds(lambda: reports.append(check(str(folder), use_cache=False)))
    report = reports[0]
    assert report.verdict != "loads"
    assert not [finding for finding in report.findings if "the rule itself failed" in finding.headline]
    return cost


@pytest.mark.parametrize("kind", HEAVY)
def test_time_grows_with_the_input(kind: str, tmp_path: Path) -> None:
    _cost(kind, 10, tmp_path / "warm")  # imports, and the model source, are paid once
    small = _cost(kind, SMALL, tmp_path / "small")
    large = _cost(kind, LARGE, tmp_path / "large")
    if large >= FACTOR * small + NOISE:  # what a neighbour on the machine costs does not come twice
        large = min(large, _cost(kind, LARGE, tmp_path / "large"))
    assert large < FACTOR * small + NOISE, f"{SMALL} take {small:.2f} s, {LARGE} take {large:.2f} s"


def test_more_families_than_are_compared_are_inconclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadproof.readers.transformers.MOST_FAMILIES", 100)
    HEAVY["header: names that do not fold"](tmp_path, 101)
    report = check(str(tmp_path), use_cache=False)
    assert report.verdict == "inconclusive"
    assert "101 families" in (report.case.outcome.inconclusive or "")


def test_more_lost_names_than_any_model_has_are_counted_and_not_grouped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("shards", "file_faults"):
        monkeypatch.setattr(f"loadproof.rules.evidence.{module}.MOST_GROUPED", 100)
    HEAVY["index: names, shards not there"](tmp_path, 101)
    report = check(str(tmp_path), use_cache=False)
    finding = next(finding for finding in report.findings if finding.code == "LP102")
    assert finding.explains == 21
    assert any("101 tensors, too many to be grouped" in evidence.text for evidence in finding.evidence)
    assert report.verdict == "fails"
