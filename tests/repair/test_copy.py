"""A repaired copy: complete or absent, the original untouched, and it says how files got there."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from loadproof.core.edits import (
    CopyTensor,
    DropTensors,
    Edit,
    RebuildIndex,
    RenameTensors,
    SetAside,
    SetJson,
    TruncateFile,
)
from loadproof.repair import RepairError, RepairInterruptedError, apply_to_copy, plan_edits, stream, to_copy
from loadproof.repair.disk import RealDisk
from tests.repair.tiny import Spec, checkpoint, read_shard, shard_bytes, sharded, snapshot, tensor, visible

A, B, INDEX = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"


def layer(i: int) -> Spec:
    return {f"layers.{i}.old_name": tensor("BF16", 40, 6, seed=i), f"layers.{i}.b": tensor("BF16", 40, 6, seed=9 + i)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {A: layer(0), B: layer(1)})
    (tmp_path / "m" / "sub").mkdir()
    (tmp_path / "m" / "sub" / "tokenizer.json").write_text("{}")
    return tmp_path / "m"


EDITS: list[tuple[Edit, ...]] = [
    (RenameTensors(pairs=(("layers.{}.old_name", "layers.{}.a", ((0, 1),)),)),),
    (RenameTensors(pairs=(("layers.{}.old_name", "layers.{}.a_much_longer_name_than_before", ((0, 1),)),)),),
    (SetJson("config.json", ("vocab_size",), 5), DropTensors("layers.{}.b", ((0,),))),
    (CopyTensor("layers.0.b", "lm_head.weight"),),
    (SetAside("config.json"),),
    (RebuildIndex(INDEX, (A,)),),
]


@pytest.mark.parametrize("edits", EDITS)
def test_the_copy_equals_the_repair_in_place(folder: Path, tmp_path: Path, edits: tuple[Edit, ...]) -> None:
    from loadproof.repair import apply

    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), edits)
    done = apply_to_copy(plan, str(tmp_path / "out"))
    assert snapshot(folder) == before
    assert done.root == str(tmp_path / "out")
    apply(plan)
    assert snapshot(tmp_path / "out") == visible(folder)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "out"]


def test_a_tail_is_cut_in_the_copy(tmp_path: Path) -> None:
    whole = shard_bytes({"a": tensor("U8", 3)})
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.safetensors").write_bytes(whole + b"tail")
    apply_to_copy(
        plan_edits(checkpoint(tmp_path / "m"), [TruncateFile("model.safetensors", len(whole))]), str(tmp_path / "out")
    )
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == whole


def test_untouched_weights_are_linked_and_texts_are_copied(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(to_copy, "LINK_FROM", 500)
    plan = plan_edits(checkpoint(folder), [DropTensors("layers.{}.b", ((0,),))])
    done = apply_to_copy(plan, str(tmp_path / "out"))
    same = os.path.samefile(folder / B, tmp_path / "out" / B)
    assert any("1 file hard-linked" in note for note in done.notes) == same or any(
        "cloned" in note for note in done.notes
    )
    assert not os.path.samefile(folder / "config.json", tmp_path / "out" / "config.json")


def test_without_links_everything_is_copied(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr(to_copy, "LINK_FROM", 500)
    plan = plan_edits(checkpoint(folder), [SetJson("config.json", ("a",), 1)])
    apply_to_copy(plan, str(tmp_path / "out"))
    assert (tmp_path / "out" / B).read_bytes() == (folder / B).read_bytes()
    assert (tmp_path / "out" / B).stat().st_nlink == 1


@pytest.mark.parametrize("limit", [200, 900, 1700, 2600])
def test_an_interrupted_copy_is_not_there_and_goes_on(
    folder: Path, tmp_path: Path, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 100)
    monkeypatch.setattr(stream, "BLOCK", 100)
    plan = plan_edits(checkpoint(folder), [DropTensors("layers.{}.b", ((0, 1),))])

    def progress(done: int, total: int, what: str) -> None:
        if done >= limit:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply_to_copy(plan, str(tmp_path / "out"), progress=progress)
    assert not (tmp_path / "out").exists()
    apply_to_copy(plan, str(tmp_path / "out"))
    assert list(read_shard(tmp_path / "out" / A)) == ["layers.0.old_name"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "out"]
    assert not any("loadproof" in name for name in snapshot(tmp_path / "out"))


def test_leftovers_of_another_plan_are_not_taken_over(folder: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int, what: str) -> None:
        raise KeyboardInterrupt

    dropped = plan_edits(checkpoint(folder), [DropTensors("layers.{}.b", ((0, 1),))])
    with pytest.raises(KeyboardInterrupt):
        apply_to_copy(dropped, str(tmp_path / "out"), progress=stop)
    partial = tmp_path / "out.loadproof-partial"
    assert partial.is_dir()
    apply_to_copy(plan_edits(checkpoint(folder), [SetJson("config.json", ("a",), 1)]), str(tmp_path / "out"))
    assert (tmp_path / "out" / B).read_bytes() == (folder / B).read_bytes()
    assert not partial.exists()


def test_a_folder_that_is_there_is_not_touched(folder: Path, tmp_path: Path) -> None:
    plan = plan_edits(checkpoint(folder), [SetJson("config.json", ("a",), 1)])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    for place in [tmp_path / "out", folder, folder / "inside", tmp_path]:
        with pytest.raises(RepairError):
            apply_to_copy(plan, str(place))
    assert (tmp_path / "out" / "mine").read_text() == "x"


def test_a_disk_that_fails_leaves_no_copy(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RealDisk, "fsync", full)
    plan = plan_edits(checkpoint(folder), [SetJson("config.json", ("a",), 1)])
    with pytest.raises(RepairInterruptedError, match="No space left"):
        apply_to_copy(plan, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_helper_files_of_earlier_repairs_stay_behind(folder: Path, tmp_path: Path) -> None:
    (folder / ".loadproof-undo-1").write_bytes(b"x")
    apply_to_copy(plan_edits(checkpoint(folder), [SetJson("config.json", ("a",), 1)]), str(tmp_path / "out"))
    assert not any("loadproof" in name for name in snapshot(tmp_path / "out"))
    assert json.loads((tmp_path / "out" / "config.json").read_text())["a"] == 1
