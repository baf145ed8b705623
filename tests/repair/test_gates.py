"""An in-place change is refused wherever it could reach further than this folder, and the way out is named."""

from __future__ import annotations

import json
import mmap
import os
from pathlib import Path

import pytest

from loadproof.core.edits import RenameTensors, SetAside, SetJson
from loadproof.formats import checkpoint_at
from loadproof.repair import RepairError, apply, apply_to_copy, gates, plan_edits, undo
from loadproof.repair import permission as gates_module
from loadproof.repair.in_place import locked
from loadproof.repair.mounts import file_system
from loadproof.repair.permission import is_blob, is_used_elsewhere
from loadproof.repair.plan import Plan
from tests.repair.tiny import checkpoint, read_shard, shard_bytes, snapshot, tensor

FILE = "model.safetensors"
RENAME = RenameTensors(pairs=(("old.name", "new.name", ()),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "m"
    made.mkdir()
    (made / FILE).write_bytes(shard_bytes({"old.name": tensor("U8", 8)}))
    (made / "config.json").write_text("{}")
    return made


def plan(folder: Path, *edits: RenameTensors | SetJson | SetAside) -> Plan:
    made = plan_edits(checkpoint(folder), edits or (RENAME,))
    assert not made.refusals
    return made


def refused(folder: Path, reason: str) -> None:
    """`apply` refuses, names the reason and the way out, touches nothing; the copy works all the same."""
    made, before = plan(folder), snapshot(folder)
    with pytest.raises(RepairError, match=reason) as caught:
        apply(made)
    assert all("--out" in refusal.alternative for refusal in caught.value.refusals)
    assert snapshot(folder) == before
    out = folder.parent / "copy"
    apply_to_copy(made, str(out))
    assert list(read_shard(out / FILE)) == ["new.name"]
    assert snapshot(folder) == before


needs_leases = pytest.mark.skipif(
    file_system("/tmp") not in {"ext4", "xfs", "btrfs"}, reason="this file system grants no leases"
)


def test_a_hard_linked_file_is_refused(folder: Path, tmp_path: Path) -> None:
    os.link(folder / FILE, tmp_path / "other")
    refused(folder, "2 hard links")


def test_a_hard_linked_text_is_replaced_and_the_other_name_keeps_the_old_one(folder: Path, tmp_path: Path) -> None:
    os.link(folder / "config.json", tmp_path / "other.json")
    apply(plan(folder, SetJson("config.json", ("a",), 1)))
    assert (folder / "config.json").read_text() != "{}"
    assert (tmp_path / "other.json").read_text() == "{}"


def test_a_read_only_file_is_refused(folder: Path) -> None:
    (folder / FILE).chmod(0o444)
    refused(folder, "read-only")


def test_a_file_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = plan(folder)
    monkeypatch.setattr(os, "geteuid", lambda: 123456)
    with pytest.raises(RepairError, match="owned by another user"):
        apply(planned)


@needs_leases
def test_a_mapped_file_is_refused_and_allowed_again_after(folder: Path) -> None:
    with (folder / FILE).open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert is_used_elsewhere(str(folder / FILE))
        refused(folder, "open or mapped by another program")
        assert mapped[:1]
    assert is_used_elsewhere(str(folder / FILE)) is False
    apply(plan(folder))


def test_where_the_kernel_cannot_tell_the_user_must_vouch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates_module, "is_used_elsewhere", lambda path: None)
    refused(folder, "cannot tell")
    apply(plan(folder), readers_stopped=True)
    assert list(read_shard(folder / FILE)) == ["new.name"]


def test_a_reader_that_holds_a_mapping_reads_the_same_data_after_a_header_edit(folder: Path) -> None:
    with (folder / FILE).open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        data = mapped[-8:]
        gates_free = plan(folder)
        disk_apply(folder, gates_free)
        assert mapped[-8:] == data
        assert mapped[:] == (folder / FILE).read_bytes()
    undo(str(folder))


def disk_apply(folder: Path, made: Plan) -> None:
    from loadproof.repair.disk import RealDisk
    from loadproof.repair.in_place import apply_on

    disk = RealDisk(str(folder))
    apply_on(disk, made)
    disk.close()


def hub_cache(tmp_path: Path) -> Path:
    entry = tmp_path / "hub" / "models--a--b"
    blobs, shot = entry / "blobs", entry / "snapshots" / "0123"
    blobs.mkdir(parents=True)
    shot.mkdir(parents=True)
    (blobs / "ab12").write_bytes(shard_bytes({"old.name": tensor("U8", 8)}))
    (shot / FILE).symlink_to("../../blobs/ab12")
    (shot / "config.json").write_text("{}")
    return shot


def test_a_hub_cache_snapshot_is_refused_and_its_copy_is_real(tmp_path: Path) -> None:
    shot = hub_cache(tmp_path)
    blob = shot.parent.parent / "blobs" / "ab12"
    before = blob.read_bytes()
    made = plan(shot)
    with pytest.raises(RepairError, match="Hugging Face cache"):
        apply(made)
    apply_to_copy(made, str(tmp_path / "copy"))
    assert list(read_shard(tmp_path / "copy" / FILE)) == ["new.name"]
    assert not (tmp_path / "copy" / FILE).is_symlink()
    assert blob.read_bytes() == before


def test_blobs_are_known_by_where_they_lie(tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / "sha256-00"
    blob.parent.mkdir()
    blob.write_bytes(b"x")
    assert is_blob(str(blob))
    assert not is_blob(str(tmp_path / "model.safetensors"))


def test_a_link_out_of_a_strangers_checkpoint_is_not_copied(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "notes.txt").symlink_to(tmp_path / "secret")
    made = plan_edits(checkpoint_at(str(folder), follow_links=False), [RENAME])
    with pytest.raises(RepairError, match="symbolic link out of"):
        apply_to_copy(made, str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_weights_behind_a_link_are_repaired_in_a_copy_only(folder: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (folder / FILE).rename(away / FILE)
    (folder / FILE).symlink_to(away / FILE)
    for name in ("notes.txt", "modeling_mine.py"):
        (tmp_path / name).write_text("x")
        (folder / name).symlink_to(tmp_path / name)
    before = (away / FILE).read_bytes()
    made = plan(folder)
    with pytest.raises(RepairError, match=r"a symbolic link to .*away.*--out DIR"):
        apply(made)
    copy = tmp_path / "copy"
    applied = apply_to_copy(made, str(copy))
    assert list(read_shard(copy / FILE)) == ["new.name"]
    assert not (copy / FILE).is_symlink()
    assert [(copy / name).readlink() for name in ("notes.txt", "modeling_mine.py")] == [
        tmp_path / "notes.txt",
        tmp_path / "modeling_mine.py",
    ]
    assert "2 files still a link out of the folder" in applied.notes
    assert (away / FILE).read_bytes() == before


def test_shards_behind_a_linked_folder_are_repaired_in_a_copy_only(folder: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (folder / FILE).rename(away / "one.safetensors")
    (folder / "shards").symlink_to(away)
    index = {"metadata": {}, "weight_map": {"old.name": "shards/one.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    before = (away / "one.safetensors").read_bytes()
    made = plan(folder)
    with pytest.raises(RepairError, match=r"behind a linked folder .*away"):
        apply(made)
    copy = tmp_path / "copy"
    apply_to_copy(made, str(copy))
    assert list(read_shard(copy / "shards" / "one.safetensors")) == ["new.name"]
    assert not (copy / "shards").is_symlink()
    assert "new.name" in (copy / "model.safetensors.index.json").read_text()
    assert (away / "one.safetensors").read_bytes() == before


def test_a_snapshot_with_shared_blobs_is_copied_whole(tmp_path: Path) -> None:
    shot = hub_cache(tmp_path)
    blob, store = shot.parent.parent / "blobs" / "ab12", tmp_path / "hub" / "blobs" / "ab" / ("ab" * 32)
    store.parent.mkdir(parents=True)
    blob.rename(store)
    blob.symlink_to(store)
    before = store.read_bytes()
    with pytest.raises(RepairError, match="Hugging Face cache"):
        apply(plan(shot))
    apply_to_copy(plan(shot), str(tmp_path / "copy"))
    assert list(read_shard(tmp_path / "copy" / FILE)) == ["new.name"]
    assert store.read_bytes() == before


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_network_file_systems_are_refused(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates_module, "file_system", lambda path: kind)
    refused(folder, kind)


def test_too_little_space_is_told_before_the_first_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates_module, "free_bytes", lambda path: 1000)
    refused(folder, "1,000 are free")


def test_a_second_loadproof_is_kept_out(folder: Path) -> None:
    made = plan(folder)
    with locked(str(folder)), pytest.raises(RepairError, match="another loadproof"):
        apply(made)
    apply(made)


def test_a_header_left_closed_without_a_journal_is_said(folder: Path) -> None:
    data = bytearray((folder / FILE).read_bytes())
    data[8] = 0
    (folder / FILE).write_bytes(data)
    made = plan_edits(checkpoint(folder), [RENAME])
    assert "a repair was interrupted here and its journal is gone" in made.refusals[0].alternative


def test_gates_are_open_for_a_plain_folder(folder: Path) -> None:
    assert gates(plan(folder), readers_stopped=True) == ()


def test_a_name_that_is_taken_is_not_overwritten(folder: Path) -> None:
    made = plan(folder, SetAside("config.json"))
    (folder / "config.json.set-aside").write_text("mine")
    with pytest.raises(RepairError, match="is there already"):
        apply(made)
    assert (folder / "config.json.set-aside").read_text() == "mine"
