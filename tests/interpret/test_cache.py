"""A kept expectation is used only when it is ours, whole, and its sources are unchanged."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import cache, evaluation, expect
from loadproof.interpret.release.seen import Seen

RAW: dict[str, Any] = {"model_type": "llama", "num_hidden_layers": 1}


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A fresh cache folder; the list grows with every real evaluation."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    seen: list[Any] = []
    original = evaluation.evaluate

    def counted(*args: Any, **options: Any) -> Any:
        seen.append(args)
        return original(*args, **options)

    monkeypatch.setattr(evaluation, "evaluate", counted)
    return seen


def read(raw: dict[str, Any] = RAW, **options: Any) -> Expectation:
    return expect(ModelConfig("config.json", raw), ".", **options)


def entries() -> list[str]:
    return glob.glob(os.path.join(cache.folder(), "*"))


def test_the_second_time_nothing_is_evaluated(calls: list[Any]) -> None:
    assert read() == read()
    assert len(calls) == 1
    assert len(entries()) == 1


def test_another_config_or_class_is_another_entry(calls: list[Any]) -> None:
    read()
    read({**RAW, "hidden_size": 64})
    read(class_name="LlamaModel")
    assert len(calls) == len(entries()) == 3


def test_it_can_be_left_out(calls: list[Any]) -> None:
    read(use_cache=False)
    read(use_cache=False)
    assert len(calls) == 2
    assert entries() == []


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x93\xa1a\xa1b", b"\xc1" * 100])
def test_a_broken_entry_is_read_anew(content: bytes, calls: list[Any]) -> None:
    first = read()
    Path(entries()[0]).write_bytes(content)
    assert read() == first
    assert len(calls) == 2


def test_an_entry_of_another_key_is_not_believed(calls: list[Any]) -> None:
    first = read()
    other = {**RAW, "hidden_size": 64, "num_attention_heads": 4}
    read(other)
    one, two = sorted(entries(), key=os.path.getmtime)
    Path(one).write_bytes(Path(two).read_bytes())
    assert read() == first
    assert len(calls) == 3


def test_a_changed_source_file_is_noticed(calls: list[Any], tmp_path: Path) -> None:
    key = "a key"
    source = tmp_path / "modeling_x.py"
    source.write_text("x = 1")
    kept = Expectation("transformers", "1", "X", "x", "installed")
    cache.store(key, [Seen(str(source))], kept)
    assert cache.load(key) == kept
    source.write_text("x = 22")
    assert cache.load(key) is None


def test_a_missing_source_file_is_noticed(calls: list[Any], tmp_path: Path) -> None:
    source = tmp_path / "modeling_x.py"
    source.write_text("x = 1")
    cache.store("key", [Seen(str(source))], Expectation("transformers", "1", "X", "x", "installed"))
    source.unlink()
    assert cache.load("key") is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices")
def test_what_is_no_plain_file_is_not_read(calls: list[Any], tmp_path: Path) -> None:
    os.makedirs(cache.folder())
    os.symlink("/dev/zero", cache._path("key"))
    assert cache.load("key") is None


def test_a_cache_that_cannot_be_written_is_no_error(calls: list[Any], tmp_path: Path, monkeypatch: Any) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert read().parameters == 12


def test_an_inconclusive_answer_is_not_kept(calls: list[Any]) -> None:
    read({**RAW, "num_hidden_layers": 10**9})
    assert entries() == []


def test_the_kept_answer_needs_no_evaluator(calls: list[Any]) -> None:
    import subprocess

    read()
    script = (
        "import sys; from loadproof.interpret import expect; from loadproof.core.config import ModelConfig; "
        f"e = expect(ModelConfig('config.json', {RAW!r}), '.'); assert e.parameters == 12; "
        "assert not [m for m in sys.modules if m.startswith(('loadproof.interpret.language', 'loadproof.interpret.shapes'))]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
