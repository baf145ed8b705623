"""Sizes that nobody can build: what was not evaluated is inconclusive, what the library refuses fails, nothing loads."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.heavy_inputs import CONFIG

from loadproof.api import check

FIELDS = ("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads", "intermediate_size")
HUGE = (10**30, 2**63, 10**300, 1e300)
REFUSED = (float("nan"), float("inf"), "2", [2])
MIXTRAL: dict[str, Any] = CONFIG | {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}


def _verdict(folder: Path, config: dict[str, Any]) -> str:
    (folder / "config.json").write_text(json.dumps(config))
    header = b'{"model.norm.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    started = time.process_time()
    report = check(str(folder), use_cache=False)
    assert time.process_time() - started < 5
    assert report.verdict != "loads-wrong" or report.case.expectation.families
    return report.verdict


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", HUGE, ids=["10**30", "2**63", "10**300", "1e300"])
def test_a_size_beyond_the_bounds_is_inconclusive(field: str, value: float, tmp_path: Path) -> None:
    assert _verdict(tmp_path, CONFIG | {field: value}) == "inconclusive"


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", REFUSED, ids=str)
def test_a_size_of_the_wrong_type_fails_as_the_class_refuses_it(field: str, value: Any, tmp_path: Path) -> None:
    assert _verdict(tmp_path, CONFIG | {field: value}) == "fails"


def test_a_config_that_is_too_long_to_be_read_says_nothing_of_the_weights(tmp_path: Path) -> None:
    assert _verdict(tmp_path, CONFIG | {"padding": "x" * 17_000_000}) == "inconclusive"


@pytest.mark.parametrize("value", [10**6, 10**30])
def test_a_million_experts_or_vision_layers_are_not_expanded(value: int, tmp_path: Path) -> None:
    assert _verdict(tmp_path, MIXTRAL | {"num_local_experts": value}) == "inconclusive"
    vision = {"model_type": "qwen2_5_vl", "text_config": CONFIG, "vision_config": {"depth": value}}
    assert _verdict(tmp_path, vision) == "inconclusive"


def test_a_layer_number_in_a_tensor_name_costs_nothing(tmp_path: Path) -> None:
    for name in (
        "model.layers.999999999.self_attn.q_proj.weight",
        "model.layers.0.mlp.experts.999999999.up_proj.weight",
    ):
        header = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
        (tmp_path / "config.json").write_text(json.dumps(CONFIG))
        (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
        started = time.process_time()
        assert check(str(tmp_path), use_cache=False).verdict == "loads-wrong"
        assert time.process_time() - started < 5
