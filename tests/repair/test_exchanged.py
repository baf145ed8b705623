"""Something is exchanged between plan and repair, or while a repair looks: refused, and nothing is a mixture."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.core.edits import DropTensors, Edit, RenameTensors, SetJson
from loadproof.repair import Plan, RepairError, apply, plan_edits, undo
from loadproof.repair.disk import RealDisk
from loadproof.repair.journal import undo_name
from loadproof.repair.steps import Swap
from tests.repair.tiny import checkpoint, index_text, shard_bytes, sharded, snapshot, tensor

SHARD = "model-00001-of-00001.safetensors"
EDITS: dict[str, tuple[Edit, ...]] = {
    "header": (RenameTensors(pairs=(("a", "b", ()), ("b", "a", ()))),),
    "stream": (DropTensors("b", ()),),
    "text": (SetJson("config.json", ("vocab_size",), 7),),
}
FILE = {"header": SHARD, "stream": SHARD, "text": "config.json"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}})
    return tmp_path / "m"


def replaced(path: Path) -> None:
    """By a file with the very same content."""
    shutil.copyfile(path, path.with_suffix(".new"))
    path.with_suffix(".new").rename(path)


def linked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def hard_linked(path: Path) -> None:
    os.link(path, path.parent.parent / "elsewhere")


def written_to(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def gone(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder_copied(path: Path) -> None:
    shutil.copytree(path.parent, path.parent.parent / "new")
    path.parent.rename(path.parent.parent / "moved")
    (path.parent.parent / "new").rename(path.parent)


def folder_linked(path: Path) -> None:
    folder_copied(path)
    path.parent.rename(path.parent.parent / "other")
    path.parent.symlink_to(path.parent.parent / "other")


SWAPS = [replaced, linked, hard_linked, written_to, gone, a_folder, a_fifo, folder_copied, folder_linked]


def contents(place: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(place)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in place.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize("swap", SWAPS)
@pytest.mark.parametrize("kind", EDITS)
def test_between_plan_and_repair(folder: Path, tmp_path: Path, kind: str, swap: Callable[[Path], None]) -> None:
    plan = plan_edits(checkpoint(folder), EDITS[kind])
    swap(folder / FILE[kind])
    before = contents(tmp_path)
    if swap is hard_linked and kind != "header":  # another name of the old file keeps the old content
        apply(plan, readers_stopped=True)
        assert (tmp_path / "elsewhere").read_bytes() == before["elsewhere"]
        return
    with pytest.raises((RepairError, FileNotFoundError)):
        apply(plan, readers_stopped=True)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("swap", [linked, hard_linked, gone, a_folder, a_fifo, folder_copied])
@pytest.mark.parametrize("kind", EDITS)
def test_between_repair_and_undo(folder: Path, tmp_path: Path, kind: str, swap: Callable[[Path], None]) -> None:
    apply(plan_edits(checkpoint(folder), EDITS[kind]), readers_stopped=True)
    swap(folder / FILE[kind])
    before = contents(tmp_path)
    if swap is hard_linked and kind != "header":
        undo(str(folder))
        assert (tmp_path / "elsewhere").read_bytes() == before["elsewhere"]
        return
    with pytest.raises(RepairError):
        undo(str(folder))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("moment", range(0, 40, 3))
@pytest.mark.parametrize("kind", EDITS)
def test_a_link_put_there_at_any_moment_of_a_repair_leads_nowhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, moment: int
) -> None:
    """What lies behind the link keeps its bytes, whenever it is put there."""
    plan: Plan = plan_edits(checkpoint(folder), EDITS[kind])
    victim = tmp_path / "victim"
    original = (folder / FILE[kind]).read_bytes()
    victim.write_bytes(original)
    count = 0

    def counted(self: RealDisk, name: str) -> os.stat_result:
        nonlocal count
        count += 1
        if count == moment:
            (folder / FILE[kind]).rename(tmp_path / "aside")
            (folder / FILE[kind]).symlink_to(victim)
        return look(self, name)

    look = RealDisk.stat
    monkeypatch.setattr(RealDisk, "stat", counted)
    with contextlib.suppress(RepairError):
        apply(plan, readers_stopped=True)
    assert victim.read_bytes() == original


def test_a_linked_folder_put_on_the_way_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "m", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    for place in (folder / "sub", outside):
        (place / "x.json").write_text("mine")
    with RealDisk(str(folder)) as disk:
        (folder / "sub").rename(tmp_path / "aside")
        (folder / "sub").symlink_to(outside)
        with pytest.raises(PermissionError):
            disk.create("sub/y.json")
        with pytest.raises(PermissionError):
            disk.rename("sub/x.json", "x.json")
        with pytest.raises(PermissionError):
            disk.unlink("sub/x.json")
    assert os.listdir(outside) == ["x.json"]


def test_an_exchanged_record_counts_no_more(folder: Path, tmp_path: Path) -> None:
    """The record of another folder, made by the same user for the same content."""
    sharded(tmp_path / "other", {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}})
    for place in (folder, tmp_path / "other"):
        apply(plan_edits(checkpoint(place), EDITS["text"]))
    shutil.copyfile(tmp_path / "other" / undo_name(1), folder / undo_name(1))
    before = snapshot(folder)
    with pytest.raises(RepairError, match="you made it for"):
        undo(str(folder))
    assert snapshot(folder) == before


def test_an_outer_undo_leaves_the_records_of_inner_folders_alone(folder: Path) -> None:
    inner = folder / "checkpoint-500"
    sharded(inner, {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}})
    before = snapshot(inner)
    apply(plan_edits(checkpoint(inner), EDITS["stream"]))
    (inner / f".loadproof-{SHARD}.kept9").write_bytes(shard_bytes({"a": tensor("U8", 3)}))
    (folder / ".loadproof-notes").write_text("somebody's")
    repaired = snapshot(inner)
    apply(plan_edits(checkpoint(folder), EDITS["stream"]))
    undo(str(folder))
    assert snapshot(inner) == repaired
    assert (folder / ".loadproof-notes").read_text() == "somebody's"
    undo(str(inner))
    (inner / f".loadproof-{SHARD}.kept9").unlink()
    assert snapshot(inner) == before


def test_a_folder_that_was_repaired_by_itself_is_not_repaired_from_outside(tmp_path: Path) -> None:
    """The two repairs would give their helper files the same names."""
    tensors = {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}
    sharded(tmp_path / "m" / "sub", {SHARD: tensors})
    (tmp_path / "m" / "model.safetensors.index.json").write_text(index_text(dict.fromkeys(tensors, f"sub/{SHARD}"), 18))
    before = snapshot(tmp_path)
    outside = plan_edits(checkpoint(tmp_path / "m"), EDITS["stream"])
    assert any(step.file == f"sub/{SHARD}" for step in outside.steps if isinstance(step, Swap))
    apply(plan_edits(checkpoint(tmp_path / "m" / "sub"), EDITS["stream"]))
    with pytest.raises(RepairError, match="was repaired by itself"):
        apply(outside)
    undo(str(tmp_path / "m" / "sub"))
    apply(plan_edits(checkpoint(tmp_path / "m"), EDITS["stream"]))
    apply(plan_edits(checkpoint(tmp_path / "m" / "sub"), EDITS["text"]))
    with pytest.raises(RepairError, match="was repaired by itself"):
        undo(str(tmp_path / "m"))
    undo(str(tmp_path / "m" / "sub"))
    undo(str(tmp_path / "m"))
    assert snapshot(tmp_path) == before
