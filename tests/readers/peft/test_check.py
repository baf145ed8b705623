"""`check` of an adapter, from folder to report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from loadproof.api.checking import NoCheckpointError
from loadproof.core.case import Report
from tests import zoo

pytestmark = pytest.mark.torch  # the source of peft and transformers has to be there


def report_of(
    tmp_path: Path, *mutations: Any, targets: tuple[str, ...] = ("q_proj", "v_proj"), **options: Any
) -> Report:
    made = zoo.build("llama").mutate(zoo.lora(list(targets)), *mutations)
    return check(made.write(tmp_path / "adapter"), use_cache=False, **options)


def outcome(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report.to_json())["outcome"]
    return found


def test_a_healthy_adapter_loads(tmp_path: Path) -> None:
    report = report_of(tmp_path)
    assert (report.verdict, report.findings, report.unexplained) == ("loads", (), ())
    said = json.loads(report.to_json())
    assert (said["reader"]["name"], said["reader"]["class"]) == ("peft", "PeftModelForCausalLM(LlamaForCausalLM)")
    assert said["target"]["tensors"] == 24
    assert "24 tensors in 1 file" in report.text()


def test_a_wrong_prefix_leaves_every_parameter_as_it_was_made(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.add_prefix("_orig_mod."))
    assert report.verdict == "loads-wrong"
    found = outcome(report)
    assert len(found["missing"]) == len(found["unexpected"]) == 24
    assert "base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight" in found["missing"]
    assert "_orig_mod.base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight" in found["unexpected"]
    load = report.case.outcome.adapter
    assert load is not None
    assert (load.filled, load.made, load.zero) == (0, 24, 12)


def test_stored_tensors_that_are_dropped_without_a_word_are_no_clean_load(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.set_adapter("target_modules", ["q_proj"]))
    assert report.verdict == "loads-wrong"
    assert outcome(report)["missing"] == []
    assert len(outcome(report)["unexpected"]) == 12


def test_a_whole_matrix_that_takes_the_place_of_a_weight_of_the_base_is_no_clean_load(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.add("base_model.model.model.norm.weight", "F32", [48]))
    load = report.case.outcome.adapter
    assert load is not None
    assert [family.template for family in load.overwritten] == ["base_model.model.model.norm.weight"]
    assert report.verdict == "loads-wrong"


def test_another_size_raises_with_the_words_of_the_library(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.set_adapter("r", 8))
    assert report.verdict == "fails"
    assert re.search(r"size mismatch for base_model\S+: copying a param with shape", outcome(report)["error"])
    assert len(outcome(report)["mismatched"]) == 24


def test_without_a_base_nothing_is_judged_and_the_way_on_is_shown(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.no_base())
    assert report.verdict == "inconclusive"
    assert "--base PATH" in report.text()


def test_a_base_that_is_given_is_used(tmp_path: Path) -> None:
    base = tmp_path / "elsewhere"
    base.mkdir()
    (base / "config.json").write_text(json.dumps(zoo.build("llama").config))
    assert report_of(tmp_path, zoo.no_base(), base=base).verdict == "loads"


def test_without_its_configuration_it_raises(tmp_path: Path) -> None:
    made = zoo.build("llama").mutate(zoo.lora(["q_proj"]))
    folder = made.replace(extra={}).write(tmp_path / "adapter")
    report = check(folder)
    assert report.verdict == "fails"
    assert "Can't find 'adapter_config.json'" in outcome(report)["error"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "\ufeff{}"])
def test_a_configuration_that_is_no_object_raises(text: str, tmp_path: Path) -> None:
    folder = zoo.build("llama").mutate(zoo.lora(["q_proj"])).write(tmp_path / "adapter")
    (folder / "adapter_config.json").write_text(text)
    assert check(folder).verdict == "fails"


@pytest.mark.parametrize(
    "change", [{"quantization_config": {"quant_method": "bitsandbytes"}}, {"model_type": "unknown"}]
)
def test_a_base_that_is_not_understood_is_no_guess(change: dict[str, Any], tmp_path: Path) -> None:
    (field, value), *_ = change.items()
    report = report_of(tmp_path, zoo.set_base(field, value))
    assert report.verdict in ("inconclusive", "fails")
    assert report.verdict == "inconclusive" or "does not recognize this architecture" in outcome(report)["error"]


def test_a_pattern_that_may_run_for_ever_is_not_tried(tmp_path: Path) -> None:
    report = report_of(tmp_path, zoo.set_adapter("target_modules", "(.*)*x"))
    assert report.verdict != "loads"
    assert report.case.outcome.inconclusive is not None


def test_a_second_look_comes_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from loadproof.interpret import adapters

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = zoo.build("llama").mutate(zoo.lora(["q_proj"])).write(tmp_path / "adapter")
    first = check(folder)
    monkeypatch.delattr(adapters, "_here")
    assert check(folder).case.outcome == first.case.outcome
    assert first.verdict == "loads"


def test_a_base_that_is_not_there_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    with pytest.raises(NoCheckpointError, match="nowhere: the base does not exist"):
        report_of(tmp_path, base="nowhere")
