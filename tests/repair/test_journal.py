"""A record is read back whole or not at all, and never acts outside its folder."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import msgspec
import pytest

from loadproof.repair import RepairError, recover, undo
from loadproof.repair.disk import RealDisk
from loadproof.repair.journal import JOURNAL, MAGIC, ForeignRecordError, Record, read_record, undo_name, write_record
from loadproof.repair.steps import Cut, Move, Patch, Rewrite, Step, Swap, inverse
from tests.repair.tiny import snapshot

STEPS: tuple[Step, ...] = (
    Patch("a.safetensors", (9,), b"{}", b"{ "),
    Rewrite("b.json", None, b"x"),
    Cut("sub/c.safetensors", 3, b"tail"),
    Move("d.bin", "d.bin.set-aside"),
    Swap("f.safetensors", ".loadproof-f.safetensors.fresh3", ".loadproof-f.safetensors.kept3"),
)


def test_a_record_is_read_back_as_written(tmp_path: Path) -> None:
    disk, record = RealDisk(str(tmp_path)), Record("t", 3, STEPS, undoes=2)
    write_record(disk, JOURNAL, record)
    assert read_record(disk, JOURNAL) == record
    assert list(snapshot(tmp_path)) == [JOURNAL]


def test_inverting_twice_changes_nothing() -> None:
    assert inverse(inverse(STEPS)) == STEPS


def test_no_flipped_bit_and_no_cut_is_taken_for_a_record(tmp_path: Path) -> None:
    disk = RealDisk(str(tmp_path))
    write_record(disk, JOURNAL, Record("t", 3, STEPS))
    blob = (tmp_path / JOURNAL).read_bytes()
    damaged = [blob[:i] + bytes([blob[i] ^ (1 << bit)]) + blob[i + 1 :] for i in range(len(blob)) for bit in (0, 5)]
    for wrong in [*damaged, *(blob[:i] for i in range(len(blob))), blob + b"\0"]:
        (tmp_path / JOURNAL).write_bytes(wrong)
        with RealDisk(str(tmp_path)) as disk, pytest.raises(ForeignRecordError):
            read_record(disk, JOURNAL)


@pytest.mark.parametrize(
    "name", ["../x.json", "/etc/x.json", "a/../../x.json", "a//b.json", "./x.json", "", "a\0.json"]
)
def test_a_record_that_names_a_file_outside_is_not_acted_on(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    (tmp_path / "x.json").write_bytes(b"mine")
    for file in (JOURNAL, undo_name(1)):
        write_record(RealDisk(str(folder)), file, Record("t", 1, (Rewrite(name, b"theirs", b"mine"),)))
        with pytest.raises(ForeignRecordError):
            read_record(RealDisk(str(folder)), file)
        with pytest.raises(RepairError):
            undo(str(folder))
    assert (tmp_path / "x.json").read_bytes() == b"mine"


def test_a_linked_folder_on_the_way_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "m", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "x.json").write_bytes(b"mine")
    (folder / "sub").symlink_to(outside)
    write_record(RealDisk(str(folder)), JOURNAL, Record("t", 1, (Rewrite("sub/x.json", b"theirs", b"mine"),)))
    with pytest.raises(RepairError):
        recover(str(folder))
    assert (outside / "x.json").read_bytes() == b"mine"


def test_a_journal_that_is_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    with RealDisk(str(folder)) as disk:
        write_record(disk, JOURNAL, Record("t", 1, (Rewrite("x.json", b"theirs", b"mine"),)))
    (folder / JOURNAL).rename(tmp_path / "elsewhere")
    (folder / "x.json").write_bytes(b"mine")
    (folder / JOURNAL).symlink_to(tmp_path / "elsewhere")
    assert recover(str(folder)) == "nothing"
    assert (folder / "x.json").read_bytes() == b"mine"


def test_a_torn_journal_is_refused_and_touches_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"mine")
    (tmp_path / JOURNAL).write_bytes(MAGIC + b"torn")
    before = snapshot(tmp_path)
    with pytest.raises(RepairError, match=r"\.loadproof-journal.*damaged"):
        recover(str(tmp_path))
    assert snapshot(tmp_path) == before


def test_a_journal_of_another_state_is_refused_and_touches_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    write_record(RealDisk(str(tmp_path)), JOURNAL, Record("t", 1, (Patch("a.safetensors", (10,), b"[]", b"()"),)))
    before = snapshot(tmp_path)
    with pytest.raises(RepairError, match="has changed since"):
        recover(str(tmp_path))
    assert snapshot(tmp_path) == before


def test_a_record_of_a_later_version_is_said(tmp_path: Path) -> None:
    body = zlib.compress(msgspec.msgpack.encode({"title": "t", "number": 1, "steps": [{"type": "teleport"}]}))
    with RealDisk(str(tmp_path)) as disk:
        (tmp_path / JOURNAL).write_bytes(disk.seal.wrap("record", body))
    with pytest.raises(RepairError, match="another version"):
        recover(str(tmp_path))


def test_nothing_is_left_to_import_once_a_repair_has_begun() -> None:
    """An import inside a function can fail in the middle of a repair: on a full or failing disk."""
    import ast

    import loadproof.repair

    for file in Path(loadproof.repair.__file__).parent.glob("*.py"):
        functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
        inner = [node for function in functions for node in ast.walk(function)]
        assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in inner), file.name
