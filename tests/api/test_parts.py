"""A shard given alone and an adapter's folder are parts of a model: the verdict stays open, and says what to check."""

from __future__ import annotations

import json
from pathlib import Path

from loadproof.api import check
from tests import zoo


def test_one_shard_of_a_set_is_not_judged_as_a_model(tmp_path: Path) -> None:
    made = zoo.build("llama").mutate(zoo.mutation("shards(3)")).write(tmp_path / "model")
    shard = sorted(made.glob("model-*.safetensors"))[0]
    report = check(shard)
    assert report.verdict == "inconclusive"
    assert report.case.expectation.inconclusive == "this is shard 1 of 3 of model.safetensors.index.json"
    assert str(made) in (report.case.expectation.hint or "")
    assert [finding.code for finding in report.findings if finding.severity == "error"] == []
    (made / "model.safetensors.index.json").unlink()
    assert check(shard).case.expectation.inconclusive == "this is one shard of a set of 3, by its name"


def test_the_faults_of_the_shard_itself_are_told(tmp_path: Path) -> None:
    made = zoo.build("llama").mutate(zoo.mutation("shards(3)")).write(tmp_path / "model")
    shard = sorted(made.glob("model-*.safetensors"))[0]
    shard.write_bytes(shard.read_bytes()[:-100])
    report = check(shard)
    assert report.verdict == "fails"
    assert report.findings[0].code == "LP003"


def test_a_single_file_that_is_the_whole_model_is_judged(tmp_path: Path) -> None:
    made = zoo.build("llama").write(tmp_path / "model")
    assert check(made / "model.safetensors").verdict == "loads"


def test_an_adapter_names_its_base_whether_or_not_a_config_lies_beside_it(tmp_path: Path) -> None:
    made = zoo.build("llama").write(tmp_path / "model")
    (made / "model.safetensors").rename(made / "adapter_model.safetensors")
    (made / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "org/base", "peft_type": "LORA"}))
    for _ in range(2):
        report = check(made)
        assert report.verdict == "inconclusive"
        assert "the base org/base" in (report.case.expectation.inconclusive or "")
        assert "--base PATH" in (report.case.expectation.hint or "")
        (made / "config.json").unlink(missing_ok=True)


def test_a_damaged_adapter_config_names_no_base(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{")
    (tmp_path / "adapter_model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    report = check(tmp_path)
    assert "names no base" in (report.case.expectation.inconclusive or "")
    assert report.verdict == "fails"
    assert report.findings[0].slug == "config-invalid"


def test_a_whole_model_beside_an_adapter_is_judged(tmp_path: Path) -> None:
    made = zoo.build("llama").write(tmp_path / "model")
    (made / "adapter_config.json").write_text("{}")
    assert check(made).verdict == "loads"


def test_an_adapter_whose_weights_are_a_pointer_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "base_model_name_or_path": "org/base"}')
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    (tmp_path / "adapter_model.safetensors").write_text(pointer)
    report = check(tmp_path)
    assert report.verdict == "fails"
    assert report.findings[0].slug == "lfs-pointer"
