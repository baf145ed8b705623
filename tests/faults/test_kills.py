"""SIGKILL at random moments and failing disks: old or new, never a mixture, and the undo still works."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.repair import permission
from tests.faults.kills import campaign, failing_disk
from tests.faults.scenarios import FULL, SCENARIOS

SHORT = ("exchange names, two shards", "longer names, two shards", "drop", "edit two texts", "copy", "set aside")


@pytest.fixture(autouse=True)
def readers_are_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was just killed may hold its files for a moment longer."""
    monkeypatch.setattr(permission, "is_used_elsewhere", lambda path: False)


def test_no_kill_leaves_a_mixture(tmp_path: Path) -> None:
    kills = 200 if FULL else 24
    tally = campaign(kills, tuple(SCENARIOS) if FULL else SHORT, tmp_path)
    assert sum(tally.values()) == kills
    assert sum(count for what, count in tally.items() if what.startswith("killed")) > kills // 4
    print(tally)


@pytest.mark.parametrize("name", SCENARIOS if FULL else SHORT)
def test_no_failing_disk_leaves_a_mixture(name: str, tmp_path: Path) -> None:
    tally = failing_disk(name, tmp_path, share=1 if FULL else 0.15)
    assert len(tally) > 1  # some before, some after the point of no return
    print(tally)
