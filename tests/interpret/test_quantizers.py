"""The methods that a release acts upon are read from its own table."""

from __future__ import annotations

from pathlib import Path

from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

from loadproof.core.config import ModelConfig
from loadproof.interpret import expect
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.locate import find_source
from loadproof.interpret.release.quantizers import known_methods
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
