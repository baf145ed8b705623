"""A cache entry that anybody else could have written is not trusted; a cache that fails is no error."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import cache, expect
from loadproof.interpret.release.seen import Seen

KEPT = Expectation("transformers", "1", "X", "x", "installed")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners of files")


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a stored entry for the key ``key``."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "modeling_x.py"
    source.write_text("x = 1")
    cache.store("key", [Seen(str(source))], KEPT)
    assert cache.load("key", Expectation) == KEPT
    return Path(cache._path("key"))


def test_nobody_else_can_read_or_write_a_new_entry(entry: Path) -> None:
    assert entry.stat().st_mode & 0o777 == 0o600
    assert entry.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o666, 0o622, 0o660])
def test_an_entry_that_others_may_write_is_not_trusted(entry: Path, mode: int) -> None:
    entry.chmod(mode)
    assert cache.load("key", Expectation) is None


def test_an_entry_of_somebody_else_is_not_trusted(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: entry.stat().st_uid + 1)
    assert cache.load("key", Expectation) is None


def test_a_link_in_place_of_an_entry_is_not_followed(entry: Path, tmp_path: Path) -> None:
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert cache.load("key", Expectation) is None


def test_a_named_pipe_in_place_of_an_entry_does_not_hang(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry)
    assert cache.load("key", Expectation) is None


@pytest.mark.parametrize("length", [0, 1, 10, -1])
def test_a_truncated_entry_is_not_trusted(entry: Path, length: int) -> None:
    entry.write_bytes(entry.read_bytes()[:length])
    assert cache.load("key", Expectation) is None


def test_every_damaged_byte_leaves_no_exception(entry: Path) -> None:
    whole = entry.read_bytes()
    for at in range(len(whole)):
        entry.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        cache.load("key", Expectation)


def test_an_entry_without_sources_is_not_trusted(entry: Path) -> None:
    entry.write_bytes(msgspec.msgpack.encode(cache.Entry("key", (), KEPT)))
    assert cache.load("key", Expectation) is None


def test_another_version_asks_for_another_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.key_of("root", "1", "folder", {}, None)
    assert before != cache.key_of("root", "2", "folder", {}, None)
    monkeypatch.setattr(cache, "__version__", "other")
    assert before != cache.key_of("root", "1", "folder", {}, None)


def test_what_json_tells_apart_has_keys_of_its_own() -> None:
    values: list[Any] = [None, float("nan"), float("inf"), 0, 0.5, False, "0", 2**70, 2**70 + 1, "\ud800", [], {}]
    assert len({cache.key_of("root", "1", "folder", {"x": value}, None) for value in values}) == len(values)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["replace", "makedirs"])
def test_a_full_or_read_only_disk_is_no_error(
    entry: Path, code: int, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, fails)
    cache.store("other", [Seen(str(tmp_path / "modeling_x.py"))], KEPT)
    assert cache.load("other", Expectation) is None
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_a_linked_cache_folder_of_a_file_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").symlink_to("/dev/null")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    raw = {"model_type": "llama", "num_hidden_layers": 1}
    assert expect(ModelConfig("config.json", raw), ".").parameters == 12


_WRITER = """
import sys
from loadproof.interpret import cache
from loadproof.interpret.release.seen import Seen
from loadproof.core.expectation import Expectation
for n in range(200):
    cache.store("key", [Seen(sys.argv[1])], Expectation("transformers", "1", "X" * (n % 50), "x", "installed"))
    found = cache.load("key", Expectation)
    assert found is None or set(found.class_name) <= {"X"}
"""


def test_two_processes_at_once_read_only_whole_entries(entry: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path / "modeling_x.py")]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert cache.load("key", Expectation) is not None
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]
