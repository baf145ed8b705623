"""Files that change, shrink or vanish while they are read, and disks that fail: a problem, never an exception."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.core.checkpoint import Manifest, Selection
from loadproof.formats import checkpoint_at
from loadproof.storage import UnreadableError
from tests.formats.tiny import INDEX, shard, write_shards
from tests.hostile.selecting import select

FILES = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
ALL = Selection(INDEX, tuple(FILES), "safetensors-sharded")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_shards(tmp_path, {FILES[0]: {"a.weight": [256, 256]}, FILES[1]: {"b.weight": [256, 256]}})


def meddle(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Call `act` with the number of the read before each read of a file."""
    real, calls = os.pread, iter(range(10**6))

    def pread(fd: int, length: int, offset: int) -> bytes:
        act(next(calls))
        return real(fd, length, offset)

    monkeypatch.setattr(os, "pread", pread)


def codes(manifest: Manifest) -> set[str]:
    return {problem.code for problem in manifest.problems if problem.severity == "error"}


@pytest.mark.parametrize("moment", range(6))
def test_a_file_cut_at_any_moment_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    checkpoint = checkpoint_at(str(folder))
    meddle(monkeypatch, lambda call: os.truncate(folder / FILES[1], 40) if call == moment else None)
    manifest = checkpoint.manifest(ALL)
    assert codes(manifest) & {"LP003"}


@pytest.mark.parametrize("moment", range(3))
def test_a_file_rewritten_while_it_is_read_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    checkpoint = checkpoint_at(str(folder))

    def rewrite(call: int) -> None:
        if call == moment:
            (folder / FILES[0]).write_bytes(shard({"a.weight": [256, 257]}))

    meddle(monkeypatch, rewrite)
    details = {problem.detail for problem in checkpoint.manifest(ALL).problems}
    assert "changed" in details


def test_a_file_that_vanishes_after_the_listing_is_a_missing_shard(folder: Path) -> None:
    checkpoint = checkpoint_at(str(folder))
    (folder / FILES[0]).unlink()
    assert codes(checkpoint.manifest(ALL)) == {"LP102"}


def test_a_file_that_becomes_a_fifo_after_the_listing_does_not_block(folder: Path) -> None:
    checkpoint = checkpoint_at(str(folder))
    (folder / FILES[0]).unlink()
    os.mkfifo(folder / FILES[0])
    assert codes(checkpoint.manifest(ALL)) == {"LP110"}


@pytest.mark.parametrize("moment", range(12))
def test_a_failing_disk_is_a_problem_wherever_it_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    def fail(call: int) -> None:
        if call == moment:
            raise OSError(errno.EIO, "Input/output error")

    meddle(monkeypatch, fail)
    checkpoint = checkpoint_at(str(folder))
    manifest = checkpoint.manifest(select(checkpoint.inventory))
    assert "io-error" in {problem.detail for problem in checkpoint.inventory.problems + manifest.problems} or moment > 8


def test_no_permission_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = checkpoint_at(str(folder))
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == FILES[1]:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    manifest = checkpoint.manifest(ALL)
    assert [(p.code, p.detail, p.file) for p in manifest.problems] == [("LP102", "permission", FILES[1])]


def test_short_reads_are_completed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = checkpoint_at(str(folder)).manifest(ALL)
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, length, offset: real(fd, min(length, 7), offset))
    assert checkpoint_at(str(folder)).manifest(ALL) == whole


def test_a_payload_of_a_vanished_file_raises_the_storage_error(folder: Path) -> None:
    checkpoint = checkpoint_at(str(folder))
    record = checkpoint.records(FILES, ["a.weight"])["a.weight"]
    (folder / FILES[0]).unlink()
    with pytest.raises(UnreadableError):
        checkpoint.payload(record)
    with pytest.raises(ValueError, match="no such range"):
        checkpoint.payload(record, -1)
