"""Every step of the protocol is needed: a protocol without it is found out by the model of power loss."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.faults.explore import Action, Exploration, applying, undoing
from tests.faults.model import Files
from tests.faults.scenarios import FULL, planned
from tests.repair.tiny import snapshot

pytestmark = pytest.mark.skipif(FULL, reason="part of every ordinary run; `make faults` has larger checkpoints")
# Steps whose loss is harmless in these repairs, and why. Anything else that the model does not miss is a defect.
HARMLESS = {
    r"write \.loadproof-resume|fsync\w* \.loadproof-resume": "a lost or torn resume record means starting anew",
    r"fsync_folder model\.safetensors\.index\.json": "closing the index is made durable with the link that follows",
    r"fsync_folder model-0000\d-of-00002": "made durable with the next step; the index is closed until the last one",
}
HARMLESS_FORWARD = {r"fsync_folder \.loadproof-undo-1": "made durable with the removal of the resume record"}
HARMLESS_BACK = {
    r"fsync_folder \.loadproof-sweep": "the undo record has gone for certain: the journal alone says the same"
}
STRICT = (
    "exchange names, one file",
    "reshape",
    "edit one text",
    "edit two texts",
    "rebuild an index",
    "cut a tail",
    "set aside",
)
LENIENT = ("longer names, two shards", "drop")


def uncaught(before: Files, action: Action) -> list[str]:
    """The operations that can be left out without a wrong state."""
    log = Exploration(before, action, cap=4).log
    return [log[skip] for skip in needless(before, action)]


def needless(before: Files, action: Action) -> list[int]:
    """Positions of the operations that can be left out without a wrong state."""
    log = Exploration(before, action, cap=4).log
    return [skip for skip in range(len(log)) if not is_caught(before, action, {skip})]


def is_caught(before: Files, action: Action, skip: set[int]) -> bool:
    mutant = Exploration(before, action, cap=20)
    try:
        mutant.run(nested=False, skip=skip)
    except (OSError, KeyError):  # it cannot even run
        return True
    return bool(mutant.problems)


@pytest.mark.parametrize("name", STRICT)
def test_no_single_operation_can_be_left_out(name: str, tmp_path: Path) -> None:
    plan = planned(name, tmp_path / "m")
    before = snapshot(tmp_path / "m")
    assert uncaught(before, applying(plan)) == []
    assert uncaught(Exploration(before, applying(plan), cap=4).after, undoing) == []


def test_with_inserted_room_only_closing_early_is_a_second_line_of_defence(tmp_path: Path) -> None:
    """Inserted blocks are zeros: a length of 0, which no reader takes for a header. Journal and opening are needed."""
    plan = planned("longer names, room inserted", tmp_path / "m")
    before = snapshot(tmp_path / "m")
    forward = Exploration(before, applying(plan), cap=4)
    for state, action in [(before, applying(plan)), (forward.after, undoing)]:
        log = Exploration(state, action, cap=4).log
        first, last = (
            log.index("write model.safetensors 8 1"),
            len(log) - 1 - log[::-1].index("write model.safetensors 8 1"),
        )
        assert first < last
        assert set(needless(state, action)) <= set(range(first, last))
        assert any(op.startswith("shift") and is_caught(state, action, {i}) for i, op in enumerate(log))


@pytest.mark.parametrize("name", LENIENT)
def test_an_operation_that_can_be_left_out_is_known_and_harmless(name: str, tmp_path: Path) -> None:
    plan = planned(name, tmp_path / "m")
    before = snapshot(tmp_path / "m")
    after = Exploration(before, applying(plan), cap=4).after
    for state, action, more in [(before, applying(plan), HARMLESS_FORWARD), (after, undoing, HARMLESS_BACK)]:
        harmless = HARMLESS | more
        unknown = [op for op in uncaught(state, action) if not any(re.match(known, op) for known in harmless)]
        assert unknown == []


@pytest.mark.parametrize(
    ("name", "step", "pattern"),
    [
        ("exchange names, two shards", "no header is closed", r"(write|fsync) model-\d+-of-\d+\.safetensors( 8 1)?$"),
        ("edit two texts", "no text is closed", r"rename \.loadproof-generation_config\.json\.tmp"),
        ("transpose", "the index is not closed", r"rename \.loadproof-model\.safetensors\.index\.json\.tmp"),
        ("drop", "the new data is not made durable", r"fsync \.loadproof-model-0000\d-of-00002\.safetensors\.fresh1"),
    ],
)
def test_steps_over_several_files_are_needed(name: str, step: str, pattern: str, tmp_path: Path) -> None:
    plan = planned(name, tmp_path / "m")
    before = snapshot(tmp_path / "m")
    log = Exploration(before, applying(plan), cap=4).log
    found = [i for i, op in enumerate(log) if re.match(pattern, op)]
    first_half = found[: len(found) // 2] if "closed" in step else found
    assert first_half
    assert is_caught(before, applying(plan), set(first_half)), step
