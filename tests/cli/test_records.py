"""Records of others and outputs that fail, as the command line tells them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import msgspec
import pytest

from loadproof.repair.journal import MAGIC, Record
from loadproof.repair.steps import Rewrite
from tests.cli.process import ROOT, copy_of, run
from tests.repair.tiny import snapshot

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


def plant(folder: Path, name: str = ".loadproof-undo-1") -> None:
    """A record that nobody signed; undoing it takes the comma-free config back to `{}`."""
    record = Record("t", 1, (Rewrite("generation_config.json", b"{}", b'{"a": 1}'),))
    (folder / "generation_config.json").write_bytes(b'{"a": 1}')
    body = zlib.compress(msgspec.msgpack.encode(record), 1)
    (folder / name).write_bytes(struct.pack("<8sIQ", MAGIC, zlib.crc32(body), len(body)) + body)


def test_fix_and_undo_refuse_a_record_of_others_and_say_what_to_do(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    plant(folder)
    before = snapshot(folder)
    for arguments in (["fix"], ["fix", "--apply"], ["undo"], ["undo", "--forget"]):
        result = run(*arguments, str(folder))
        assert result.returncode == 1
        assert ".loadproof-undo-1, an undo record, does not count" in result.stderr
        assert f"rm {folder}/.loadproof-undo-1" in result.stderr
        assert "--adopt-records" in result.stderr
        assert "replace the text of generation_config.json (2 bytes)" in result.stderr
        copying = f"a repaired copy needs none of this: loadproof fix {folder} --out NEW_FOLDER" in result.stderr
        assert copying == (arguments[0] == "fix")
    assert snapshot(folder) == before
    checked = run("check", str(folder))
    assert "error[LP018] foreign-record: .loadproof-undo-1" in checked.stdout


def test_a_record_taken_over_is_shown_and_undone(tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    plant(folder)
    result = run("undo", str(folder), "--adopt-records")
    assert result.returncode == 0
    assert "undoing .loadproof-undo-1 would:" in result.stderr
    assert (folder / "generation_config.json").read_bytes() == b"{}"


def test_a_dry_run_takes_nothing_over(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    plant(folder)
    before = snapshot(folder)
    result = run("fix", str(folder), "--adopt-records")
    assert result.returncode == 1  # the record itself cannot be fixed by an edit
    assert "--adopt-records --apply" in result.stdout
    assert snapshot(folder) == before
    assert run("fix", str(folder), "--adopt-records", "--apply").returncode == 0
    assert run("undo", str(folder)).returncode == 0
    assert run("undo", str(folder)).returncode == 0
    assert (folder / "generation_config.json").read_bytes() == b"{}"


def test_a_copy_is_made_in_spite_of_an_undo_record_but_not_of_a_journal(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    plant(folder)
    assert run("fix", str(folder), "--out", str(tmp_path / "out")).returncode == 0
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".loadproof")]
    (folder / ".loadproof-undo-1").rename(folder / ".loadproof-journal")
    refused = run("fix", str(folder), "--out", str(tmp_path / "out2"))
    assert (refused.returncode, "a repaired copy" in refused.stderr) == (1, False)
    assert not (tmp_path / "out2").exists()


def test_what_was_ignored_is_said(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    before = snapshot(folder)
    assert run("fix", str(folder), "--apply").returncode == 0
    (folder / ".loadproof-undo-007").mkdir()
    result = run("undo", str(folder))
    assert result.returncode == 0
    assert ".loadproof-undo-007 was ignored: no record has such a name" in result.stderr
    assert snapshot(folder) == before


# ---------------------------------------------------------------- outputs that fail
def run_to_full(*arguments: str) -> subprocess.CompletedProcess[str]:
    with open("/dev/full", "w") as full:
        return subprocess.run(
            [sys.executable, "-m", "loadproof", *arguments],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )


@FULL
def test_a_repair_that_was_done_is_said_where_the_report_cannot_be_written(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    before = snapshot(folder)
    done = run_to_full("fix", str(folder), "--apply")
    assert done.returncode == 2
    assert f"the repair of {folder} was done; loadproof undo {folder} takes it back" in done.stderr
    assert "No space left" in done.stderr
    assert snapshot(folder) != before
    undone = run_to_full("undo", str(folder))
    assert undone.returncode == 2
    assert "the repair was taken back" in undone.stderr
    assert snapshot(folder) == before
    copied = run_to_full("fix", str(folder), "--out", str(tmp_path / "out"))
    assert copied.returncode == 2
    assert "the repaired copy" in copied.stderr
    assert (tmp_path / "out").is_dir()


@FULL
def test_a_dry_run_whose_report_is_lost_claims_nothing(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    planned = run_to_full("fix", str(folder))
    assert planned.returncode == 2
    assert "was done" not in planned.stderr


def test_an_output_file_is_not_written_through_what_was_planted(tmp_path: Path) -> None:
    """Names that an earlier version used, for any process number that a run could have."""
    folder = copy_of("healthy", tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("x")
    for number in range(os.getpid(), os.getpid() + 400):
        (tmp_path / f"report.txt.loadproof-{number}").symlink_to(victim)
    (tmp_path / "report.txt").write_text("old")
    (tmp_path / "report.txt").chmod(0o640)
    assert run("check", str(folder), "--output", str(tmp_path / "report.txt")).returncode == 0
    assert victim.read_text() == "x"
    assert "verdict" in (tmp_path / "report.txt").read_text()
    assert (tmp_path / "report.txt").stat().st_mode & 0o777 == 0o640
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".loadproof")]
