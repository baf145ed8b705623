"""No loss of power at any moment of any repair leaves a mixture, for a reader or after recovery."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loadproof.repair import stream
from tests.faults.explore import Exploration, applying, helpers, undoing
from tests.faults.scenarios import SCENARIOS, planned
from tests.repair.tiny import snapshot

FULL = bool(os.environ.get("LOADPROOF_FAULTS"))  # make faults
CAP = 60 if FULL else 6
WANTED = 1_500 if FULL else 60


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_crash_ends_old_or_new(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 40)
    monkeypatch.setattr(stream, "BLOCK", 40)
    plan = planned(name, tmp_path / "m")
    forward = Exploration(snapshot(tmp_path / "m"), applying(plan), cap=CAP)
    tally = forward.run(nested=True)
    assert forward.problems == []
    assert None not in forward.views or name in (
        "rebuild an index",
        "make an index",
        "cut a tail",
        "cut a tail and regenerate",
    )
    assert helpers(forward.after) >= {".loadproof-undo-1"}
    back = Exploration(forward.after, undoing, cap=CAP)
    tally_back = back.run(nested=True)
    assert back.problems == []
    assert back.after == forward.before
    print(f"{name}: {tally.points} + {tally_back.points}")
    assert tally.points + tally_back.points >= WANTED
