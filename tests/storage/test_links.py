"""A link is a way to a checkpoint's files, never a way to make a report tell of other files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.formats import checkpoint_at
from loadproof.report import render_text
from loadproof.report.json_v1 import render_json
from tests import zoo

SECRETS = {
    "passwd": b"root:x:0:0:hunter2:/root:/bin/sh\n",
    "json": json.dumps({"auths": {"example.org": {"auth": "hunter2"}}, "token": "hunter2"}).encode(),
    "twice": b'{"hunter2": "hunter2", "hunter2": "hunter2"}',
    "broken": b'{"password": hunter2}',
    "list": b'["hunter2"]',
    "number": b'{"a": NaN, "hunter2": 1}',
    "key": b"-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n",
    "safetensors-like": b"\x10\0\0\0\0\0\0\0{ hunter2 hunter}",
    "pickle": b"\x80\x02hunter2",
}
NAMES = (
    "config.json",
    "model.safetensors",
    "model.safetensors.index.json",
    "adapter_config.json",
    "tokenizer_config.json",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("secret", SECRETS)
def test_no_report_quotes_a_file_that_is_no_part_of_a_checkpoint(secret: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(SECRETS[secret])
    folder = zoo.build("llama").write(tmp_path / "m")
    if name == "model.safetensors.index.json":
        (folder / "model.safetensors").unlink()
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "secret")
    report = check(folder)
    for text in (render_text(report, verbose=True), render_json(report)):
        assert "hunter" not in text
        assert "root:x" not in text
        assert str(int.from_bytes(SECRETS[secret][:8], "little")) not in text or secret == "safetensors-like"


@pytest.mark.parametrize("target", ["/proc/self/environ", "/proc/self/maps", "/proc/version", "/sys/kernel/notes"])
@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_files_of_the_kernel_are_not_read(name: str, target: str, tmp_path: Path) -> None:
    if not os.path.exists(target):
        pytest.skip("no such file here")
    folder = zoo.build("llama").write(tmp_path / "m")
    (folder / name).unlink()
    (folder / name).symlink_to(target)
    report = check(folder)
    assert report.verdict == "inconclusive"
    assert "file of the kernel" in render_text(report)


def test_code_is_not_read_through_a_link_that_leaves_the_folder(tmp_path: Path) -> None:
    code = tmp_path / "modeling_mine.py"
    code.write_text("class MineForCausalLM: pass\nclass MineConfig: pass\n")
    folder = zoo.build("llama").write(tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    auto_map = {"AutoConfig": "modeling_mine.MineConfig", "AutoModelForCausalLM": "modeling_mine.MineForCausalLM"}
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "mine", "auto_map": auto_map}))
    (folder / "modeling_mine.py").symlink_to(code)
    report = check(folder, use_cache=False)
    assert report.verdict == "inconclusive"
    assert "leads out of the repository folder" in (report.case.expectation.inconclusive or "")


def test_a_folder_of_more_files_than_are_listed_is_judged_by_the_names_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crowded(tmp_path, monkeypatch, shards=3)
    report = check(folder)
    assert report.verdict == "loads"
    assert not checkpoint_at(str(folder)).inventory.is_whole


def test_a_shard_that_is_not_there_is_certain_because_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crowded(tmp_path, monkeypatch, shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()
    report = check(folder)
    assert (report.verdict, report.findings[0].code) == ("fails", "LP102")


def test_weights_under_no_known_name_are_not_called_absent_where_the_list_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crowded(tmp_path, monkeypatch, shards=1)
    (folder / "model.safetensors").rename(folder / "zz.safetensors")
    report = check(folder)
    assert report.verdict == "inconclusive"
    assert "too many files" in (report.case.outcome.inconclusive or "")
    assert [finding for finding in report.findings if finding.severity == "error"] == []


def test_weights_named_in_the_config_are_asked_for_where_the_list_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crowded(tmp_path, monkeypatch, shards=1)
    (folder / "model.safetensors").rename(folder / "zz.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"transformers_weights": "zz.safetensors"}))
    assert check(folder).verdict == "loads"


def crowded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int) -> Path:
    """A folder whose listing is cut before it comes to the checkpoint's files."""
    from loadproof.storage import folder as storage

    folder = zoo.build("llama").replace(shards=shards).write(tmp_path / "m")
    monkeypatch.setattr(storage, "_MOST_ENTRIES", 0)
    return folder


def test_a_folder_of_a_hundred_thousand_files_is_judged(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    for number in range(100_050):
        os.close(os.open(folder / f"{number}.txt", os.O_CREAT | os.O_WRONLY))
    zoo.build("llama").replace(shards=2).write(folder)
    report = check(folder)
    assert report.verdict == "loads"
    assert any("more than 100,0" in skip.why for skip in report.skipped)
