"""No loss of power at any moment of any repair leaves a mixture, for a reader or after recovery."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.repair import stream
from tests.faults.explore import Exploration, applying, helpers, undoing
from tests.faults.scenarios import FULL, SCENARIOS, planned
from tests.repair.tiny import snapshot

CAP = 8 if FULL else 6
WANTED = 1_500 if FULL else 100


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_crash_ends_old_or_new(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 40)
    monkeypatch.setattr(stream, "BLOCK", 40)
    plan = planned(name, tmp_path / "m")
    before = snapshot(tmp_path / "m")
    points, cap = 0, max(1, CAP // 4)
    while points < WANTED:
        cap *= 4
        forward = Exploration(before, applying(plan), cap=cap)
        back = Exploration(forward.after, undoing, cap=cap)
        points = forward.run(nested=True).points + back.run(nested=True).points
        assert forward.problems == []
        assert back.problems == []
        if forward.exhaustive and back.exhaustive:
            break
    assert back.after == before
    assert helpers(forward.after) >= {".loadproof-undo-1"}
    assert forward.views[1] is not None
    print(f"{name}: {points} fault points")
