"""The registry is complete, and a healthy checkpoint does not pay for it (that no gate hides a finding: `judge.py`)."""

from __future__ import annotations

from pathlib import Path

from loadproof.rules.registry import RANK, load, rules_for
from tests.rules.case_files import Example
from tests.rules.judge import report_of


def test_a_healthy_checkpoint_asks_few_rules(tmp_path: Path) -> None:
    page = Example(tmp_path, "near-miss", "healthy", "llama", ())
    assert len(rules_for(report_of(page, tmp_path).case)) <= 8


def test_every_slug_is_registered_once_and_has_its_rule() -> None:
    places = [place for place, _ in RANK]
    assert len(set(places)) == len(places)
    assert [load(place).slug for place in places] == [place.partition("/")[2] for place in places]
