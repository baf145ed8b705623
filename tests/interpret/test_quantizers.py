"""The methods that a release acts upon are read from its own table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import expect
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.locate import find_source
from loadproof.interpret.release.quantizers import known_methods
from loadproof.readers.transformers.private import loading_of
from tests import zoo


def test_the_table_is_that_of_the_installed_release() -> None:
    root = find_source(None)
    assert root is not None
    disk = on_disk(root, is_trusted=True)
    assert known_methods(disk) == tuple(AUTO_QUANTIZATION_CONFIG_MAPPING)
    assert [Path(seen.path).name for seen in disk.seen] == ["auto.py"]


def test_a_table_of_other_things_or_none_is_not_established(tmp_path: Path) -> None:
    assert known_methods(on_disk(str(tmp_path), is_trusted=True)) is None
    (tmp_path / "quantizers").mkdir()
    table = tmp_path / "quantizers" / "auto.py"
    for text in ("x = 1", "AUTO_QUANTIZATION_CONFIG_MAPPING = {Method.FP8: 1}", "def broken(:"):
        table.write_text(text)
        assert known_methods(on_disk(str(tmp_path), is_trusted=True)) is None
    table.write_text("AUTO_QUANTIZATION_CONFIG_MAPPING: dict[str, type] = {'fp8': A, 'gptq': B}")
    assert known_methods(on_disk(str(tmp_path), is_trusted=True)) == ("fp8", "gptq")


def test_only_a_declaration_asks_for_the_methods(tmp_path: Path) -> None:
    raw = dict(zoo.build("llama").config or {})
    plain = expect(ModelConfig("config.json", raw), str(tmp_path), use_cache=False)
    declared = {**raw, "quantization_config": {"quant_method": "fp8"}}
    asked = expect(ModelConfig("config.json", declared), str(tmp_path), use_cache=False)
    assert plain.quantizers is None
    assert asked.quantizers is not None
    assert "fp8" in asked.quantizers
    assert "modelopt" not in asked.quantizers


QUANTIZED = {"quant_method": "fp8", "weight_block_size": [128, 128]}


def expected(entry: dict[str, Any], devices: tuple[str, ...] = ("cpu", "cuda"), name: str = "llama") -> Expectation:
    raw = {**dict(zoo.build(name).config or {}), "quantization_config": entry}
    return expect(ModelConfig("config.json", raw), "", use_cache=False, devices=devices)


def test_a_quantizer_that_asks_for_the_machine_gives_one_answer_for_each() -> None:
    found = expected(QUANTIZED)
    assert found.device == "cpu"
    assert [other.device for other in found.elsewhere] == ["cuda"]
    assert all(family.dtype != "F8_E4M3" for family in found.families)
    assert any(family.dtype == "F8_E4M3" for family in found.elsewhere[0].families)
    old = expected(QUANTIZED, ("cuda:8.6",))
    assert old.families == found.families
    assert old.elsewhere == ()


def test_a_method_that_the_release_does_not_know_leaves_the_class_as_it_is() -> None:
    found = expected({"quant_method": "fp9"})
    assert found.quantizer is None
    assert found.families == expect(ModelConfig("config.json", dict(zoo.build("llama").config or {})), "").families


@pytest.mark.parametrize("entry", [{"quant_method": "gptq", "bits": 4}, {"quant_method": "aqlm"}])
def test_a_package_that_is_not_installed_is_the_library_s_own_import_error(entry: dict[str, Any]) -> None:
    found = expected(entry)
    assert (found.raises or "").startswith("ImportError: ")
    assert found.quantizer is not None
    assert all(not version for _, version in found.quantizer.packages)


def test_a_declaration_of_too_many_names_is_not_followed() -> None:
    found = expected({**QUANTIZED, "modules_to_not_convert": ["x"] * 6_000})
    assert found.quantizer is not None
    assert "more than 5,000" in (found.quantizer.inconclusive or "")
    assert found.families  # those of the class


def test_a_quantizer_keeps_the_effective_declaration() -> None:
    entry = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
    found = expected(entry)
    assert found.config["quantization_config"]["bnb_4bit_quant_storage"] == "uint8"
    assert [rule.operations[0].name for rule in loading_of(found).rules if rule.operations] == ["Bnb4bitDeserialize"]
    assert {family.any_shape for family in found.families if family.dtype == "U8"} == {True}


@pytest.mark.torch
def test_a_machine_that_makes_no_difference_is_not_asked_twice() -> None:
    four_bit = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    offload = {**four_bit, "llm_int8_enable_fp32_cpu_offload": True}
    weights = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 16, "symmetric": True}
    group = {"targets": ["Linear"], "weights": weights}
    packed = {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": group}}
    assert (expected(packed).device, expected(packed).elsewhere) == ("", ())
    assert [other.device for other in expected(offload).elsewhere] == ["cuda"]
    assert expected(offload, ("cuda",)).device == "cuda"
