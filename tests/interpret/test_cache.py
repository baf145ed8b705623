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
from loadproof.interpret.sandbox import parent
from tests.hostile.source_cases import AUTO_MAP, source
from tests.interpret.sandbox.opening import require_wall

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
    assert cache.load(key, Expectation) == kept
    source.write_text("x = 22")
    assert cache.load(key, Expectation) is None


def test_a_missing_source_file_is_noticed(calls: list[Any], tmp_path: Path) -> None:
    source = tmp_path / "modeling_x.py"
    source.write_text("x = 1")
    cache.store("key", [Seen(str(source))], Expectation("transformers", "1", "X", "x", "installed"))
    source.unlink()
    assert cache.load("key", Expectation) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices")
def test_what_is_no_plain_file_is_not_read(calls: list[Any], tmp_path: Path) -> None:
    os.makedirs(cache.folder())
    os.symlink("/dev/zero", cache._path("key"))
    assert cache.load("key", Expectation) is None


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


def own_code(folder: Path, size: int = 4) -> Expectation:
    """What is expected of a folder with code of its own, from the cache where that is possible."""
    text = source(f"self.extra = nn.Linear({size}, 4)")
    folder.mkdir(exist_ok=True)
    (folder / "modeling_evil.py").write_text(text)
    return again(folder)


def again(folder: Path) -> Expectation:
    raw = {"model_type": "evil", "architectures": ["EvilModel"], "auto_map": AUTO_MAP, "hidden_size": 4}
    return expect(ModelConfig("config.json", raw), str(folder))


@pytest.fixture
def children(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Grows with every process that is started."""
    require_wall()
    started: list[Any] = []
    original = parent._started

    def counted(seconds: int) -> Any:
        started.append(seconds)
        return original(seconds)

    monkeypatch.setattr(parent, "_started", counted)
    return started


def test_code_that_was_rewritten_with_the_same_size_and_time_is_evaluated_anew(
    children: list[Any], tmp_path: Path
) -> None:
    first = own_code(tmp_path / "model", 4)
    path = tmp_path / "model" / "modeling_evil.py"
    info = path.stat()
    path.write_text(path.read_text().replace("nn.Linear(4, 4)", "nn.Linear(5, 4)"))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (info.st_size, info.st_mtime_ns)
    second = again(tmp_path / "model")
    assert [family.shape for family in first.families] != [family.shape for family in second.families]
    assert len(children) == 2


def test_unchanged_code_is_not_evaluated_again_whatever_else_comes_into_the_folder(
    children: list[Any], tmp_path: Path
) -> None:
    first = own_code(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"")
    assert again(tmp_path / "model") == first
    assert len(children) == 1


def test_a_python_file_that_comes_into_the_folder_is_noticed(children: list[Any], tmp_path: Path) -> None:
    own_code(tmp_path / "model")
    (tmp_path / "model" / "torch.py").write_text("")
    again(tmp_path / "model")
    assert len(children) == 2


def test_a_package_that_comes_into_the_environment_is_noticed(calls: list[Any], tmp_path: Path) -> None:
    source_file = tmp_path / "modeling_x.py"
    source_file.write_text("x = 1")
    kept = Expectation("transformers", "1", "X", "x", "installed")
    for packages, found in (({"json": True, "no_such_package": False}, kept), ({"json": False}, None)):
        cache.store("key", [Seen(str(source_file))], kept, packages)
        assert cache.load("key", Expectation) == found


def test_a_release_that_is_no_longer_trusted_is_another_entry() -> None:
    assert cache.key_of("root", "1", ".", RAW, None, True) != cache.key_of("root", "1", ".", RAW, None, False)
