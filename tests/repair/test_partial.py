"""`--out NAME` and what lies at NAME.loadproof-partial: only what a copy of ours left is gone on with or removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.core.edits import DropTensors, SetJson
from loadproof.repair import Plan, RepairError, apply_to_copy, partial, plan_edits, recover
from loadproof.repair.disk import RealDisk
from tests.repair.tiny import checkpoint, sharded, snapshot, tensor

SHARD = "model-00001-of-00001.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}})
    (tmp_path / "m" / "sub").mkdir()
    (tmp_path / "m" / "sub" / "vocab.json").write_text("{}")
    return tmp_path / "m"


@pytest.fixture
def plan(folder: Path) -> Plan:
    return plan_edits(checkpoint(folder), [SetJson("config.json", ("vocab_size",), 7), DropTensors("b", ())])


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "victim" / "sub").mkdir(parents=True)
    (tmp_path / "victim" / "thesis.txt").write_text("x")
    (tmp_path / "victim" / "sub" / "config.json").write_text("x")
    return tmp_path / "victim"


def _file_of_the_user(place: Path, victim: Path) -> None:
    place.mkdir()
    (place / "mine.txt").write_text("x")


def _same_names(place: Path, victim: Path) -> None:
    place.mkdir()
    (place / "config.json").write_text("x")


def _empty_folder_inside(place: Path, victim: Path) -> None:
    (place / "sub").mkdir(parents=True)


def _link(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def _dangling(place: Path, victim: Path) -> None:
    place.symlink_to("nowhere")


def _link_to_an_empty_folder(place: Path, victim: Path) -> None:
    (victim / "empty").mkdir()
    place.symlink_to(victim / "empty")


def _file(place: Path, victim: Path) -> None:
    place.write_text("x")


def _fifo(place: Path, victim: Path) -> None:
    os.mkfifo(place)


def _link_inside(place: Path, victim: Path) -> None:
    place.mkdir()
    (place / "config.json").symlink_to(victim / "thesis.txt")


def _linked_folder_inside(place: Path, victim: Path) -> None:
    place.mkdir()
    (place / "sub").symlink_to(victim / "sub")


def _open_to_all(place: Path, victim: Path) -> None:
    place.mkdir()
    place.chmod(0o777)


def _unsigned_resume(place: Path, victim: Path) -> None:
    place.mkdir()
    (place / "mine.txt").write_text("x")
    (place / ".loadproof-copy").write_text('{"fingerprint": "x", "names": ["mine.txt"]}')


def _resume_of_another_folder(place: Path, victim: Path) -> None:
    """Signed by this user, for a folder elsewhere."""
    (victim / "a").mkdir()
    with RealDisk(str(victim / "a")) as disk:
        blob = disk.seal.wrap("copy", b'{"fingerprint": "x", "names": ["mine.txt"]}')
    place.mkdir()
    (place / "mine.txt").write_text("x")
    (place / ".loadproof-copy").write_bytes(blob)


PLANTS = [
    _file_of_the_user,
    _same_names,
    _empty_folder_inside,
    _link,
    _dangling,
    _link_to_an_empty_folder,
    _file,
    _fifo,
    _link_inside,
    _linked_folder_inside,
    _open_to_all,
    _unsigned_resume,
    _resume_of_another_folder,
]


def everything(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path.relative_to(folder)), path.lstat().st_mode) for path in folder.rglob("*"))


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_not_ours_is_not_touched(
    folder: Path, plan: Plan, victim: Path, tmp_path: Path, plant: Callable[[Path, Path], None]
) -> None:
    (tmp_path / "o").mkdir()
    plant(tmp_path / "o" / "out.loadproof-partial", victim)
    there, source = everything(tmp_path), snapshot(folder)
    with pytest.raises(RepairError, match=r"out\.loadproof-partial"):
        apply_to_copy(plan, str(tmp_path / "o" / "out"))
    assert everything(tmp_path) == there
    assert (victim / "thesis.txt").read_text() == "x"
    assert (victim / "sub" / "config.json").read_text() == "x"
    assert snapshot(folder) == source


def test_an_empty_folder_of_ones_own_is_used(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "out.loadproof-partial").mkdir(mode=0o700)
    apply_to_copy(plan, str(tmp_path / "out"))
    assert sorted(os.listdir(tmp_path / "out")) == ["config.json", SHARD, "model.safetensors.index.json", "sub"]


def interrupt(plan: Plan, out: Path) -> None:
    def stop(done: int, total: int, what: str) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply_to_copy(plan, str(out), progress=stop)


@pytest.mark.parametrize("name", ["mine.txt", "sub/mine.txt", ".hidden"])
def test_a_file_put_into_an_interrupted_copy_is_kept(plan: Plan, folder: Path, tmp_path: Path, name: str) -> None:
    interrupt(plan, tmp_path / "out")
    place = tmp_path / "out.loadproof-partial" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("x")
    other = plan_edits(checkpoint(folder), [SetJson("config.json", ("vocab_size",), 8)])
    for again in (plan, other):
        with pytest.raises(RepairError, match=r"did not put there"):
            apply_to_copy(again, str(tmp_path / "out"))
    assert place.read_text() == "x"


def test_a_link_put_into_an_interrupted_copy_stops_it(plan: Plan, victim: Path, tmp_path: Path) -> None:
    interrupt(plan, tmp_path / "out")
    place = tmp_path / "out.loadproof-partial"
    (place / "config.json").unlink(missing_ok=True)
    (place / "config.json").symlink_to(victim / "thesis.txt")
    with pytest.raises(RepairError, match="did not put there"):
        apply_to_copy(plan, str(tmp_path / "out"))
    assert (victim / "thesis.txt").read_text() == "x"


def test_a_copy_with_a_link_that_was_cut_off_before_it_got_its_name_goes_on(
    folder: Path, victim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "notes.txt").symlink_to(victim / "thesis.txt")
    edits = [SetJson("config.json", ("vocab_size",), 7)]

    def cut_off(self: partial.Partial, mode: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(partial.Partial, "publish", cut_off)
        with pytest.raises(KeyboardInterrupt):
            apply_to_copy(plan_edits(checkpoint(folder), edits), str(tmp_path / "out"))
    apply_to_copy(plan_edits(checkpoint(folder), edits), str(tmp_path / "out"))
    assert os.readlink(tmp_path / "out" / "notes.txt") == str(victim / "thesis.txt")
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".loadproof")]


def test_a_half_copy_that_was_renamed_by_hand_keeps_its_files(plan: Plan, tmp_path: Path) -> None:
    """Its record names every file of it: a repair in place must not take that for what it prepared itself."""
    interrupt(plan, tmp_path / "out")
    half = tmp_path / "half"
    (tmp_path / "out.loadproof-partial").rename(half)
    before = snapshot(half)
    assert len(before) > 1
    recover(str(half))
    os.rename(half / ".loadproof-copy", half / ".loadproof-resume")
    recover(str(half))
    before[".loadproof-resume"] = before.pop(".loadproof-copy")
    assert snapshot(half) == before


def test_the_folder_is_not_published_when_it_was_exchanged(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = partial.Partial.publish

    def exchanged(self: partial.Partial, mode: int) -> None:
        os.rename(self.path, self.path + ".moved")
        os.mkdir(self.path)
        publish(self, mode)

    monkeypatch.setattr(partial.Partial, "publish", exchanged)
    with pytest.raises(RepairError, match="was replaced"):
        apply_to_copy(plan, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_folder_that_fills_meanwhile_is_not_replaced(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = partial.Partial.publish

    def late(self: partial.Partial, mode: int) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").write_text("x")
        publish(self, mode)

    monkeypatch.setattr(partial.Partial, "publish", late)
    with pytest.raises(RepairError):
        apply_to_copy(plan, str(tmp_path / "out"))
    assert (tmp_path / "out" / "mine").read_text() == "x"


def test_a_source_that_changes_while_it_is_copied_makes_no_copy(plan: Plan, folder: Path, tmp_path: Path) -> None:
    def change(done: int, total: int, what: str) -> None:
        (folder / "sub" / "vocab.json").write_text('{"new": 1}')

    with pytest.raises(RepairError, match="changed while it was copied"):
        apply_to_copy(plan, str(tmp_path / "out"), progress=change)
    assert not (tmp_path / "out").exists()


def test_the_copy_is_as_open_as_the_original(plan: Plan, folder: Path, tmp_path: Path) -> None:
    folder.chmod(0o750)
    apply_to_copy(plan, str(tmp_path / "out"))
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_what_is_left_out_is_said(plan: Plan, folder: Path, victim: Path, tmp_path: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "sub" / ".cache").mkdir()
    (folder / "linked").symlink_to(victim)
    os.mkfifo(folder / "pipe")
    done = apply_to_copy(plan, str(tmp_path / "out"))
    left = [note for note in done.notes if note.startswith("left out")]
    assert left == [
        "left out: .git (not part of a checkpoint)",
        "left out: linked (a link to a folder)",
        "left out: pipe (not a regular file)",
        "left out: sub/.cache (not part of a checkpoint)",
    ]
    assert sorted(os.listdir(tmp_path / "out")) == ["config.json", SHARD, "model.safetensors.index.json", "sub"]
