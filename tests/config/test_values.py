"""Sizes, types and names that no model can be built from are refused before anything is expanded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.readers.transformers.reactions import react
from tests.config.build import LLAMA, config_of, found


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"num_hidden_layers": 10**9}, "bound"),
        ({"num_hidden_layers": 1e300}, "bound"),
        ({"num_hidden_layers": -1}, "type"),
        ({"num_hidden_layers": "1"}, "type"),
        ({"num_hidden_layers": True}, "type"),
        ({"n_layer": 10**9}, "bound"),
        ({"hidden_size": 2**63}, "bound"),
        ({"num_experts": 10**8, "num_hidden_layers": 1000}, "bound"),
        ({"num_experts": 90_000, "num_hidden_layers": 1000}, "bound"),
        ({"layer_types": ["full_attention"] * 200_000}, "bound"),
        ({"layer_types": "full_attention"}, "type"),
        ({"torch_dtype": "load"}, "dtype"),
        ({"dtype": "auto"}, "dtype"),  # a word of from_pretrained, not of config.json
        ({"dtype": "serialization.os.system"}, "dtype"),
        ({"model_type": "../../x"}, "model-type"),
        ({"quantization_config": []}, "type"),
        ({"quantization_config": "gptq"}, "type"),
        ({"quantization_config": {"bits": 4}}, "lacks"),
        ({"text_config": {"num_hidden_layers": 10**9}}, "bound"),
    ],
)
def test_impossible_values_are_errors(tmp_path: Path, change: dict[str, Any], detail: str) -> None:
    problems = found(config_of(tmp_path, LLAMA | change))
    assert ("LP014", detail, "error") in problems


@pytest.mark.parametrize(
    "change",
    [
        {"num_key_value_heads": None},
        {"num_key_value_heads": [2, 4, 4]},
        {"intermediate_size": [16, 32]},
        {"n_inner": None},
        {"head_dim": -1},
        {"num_experts": 0},
        {"num_hidden_layers": 0},
        {"num_hidden_layers": 126, "num_experts": 512},
        {"torch_dtype": "bfloat16"},
        {"dtype": "torch.float8_e4m3fn"},
        {"dtype": {"text_config": "bfloat16"}},
        {"model_type": "mixformer-sequential"},
        {"model_type": "qwen2.5_vl"},
        {"quantization_config": None},
        {"quantization_config": {"load_in_4bit": True}},
        {"quantization_config": {"quant_method": "gptq"}},
        {"max_position_embeddings": 1e30},
        {"vision_config": {"hidden_size": 1152}},
    ],
)
def test_unusual_but_usable_values_are_no_problem(tmp_path: Path, change: dict[str, Any]) -> None:
    assert found(config_of(tmp_path, LLAMA | change)) == []


def test_an_unknown_dtype_quotes_what_the_library_would_say(tmp_path: Path) -> None:
    problem = config_of(tmp_path, LLAMA | {"torch_dtype": "fp16"}).problems[0]
    assert react(problem) == "AttributeError: module 'torch' has no attribute 'fp16'"


def test_code_is_reported_and_only_a_module_outside_is_an_error(tmp_path: Path) -> None:
    local = config_of(tmp_path, LLAMA | {"auto_map": {"AutoModel": "modeling_x.X"}})
    assert found(local) == [("LP012", "auto-map", "info")]
    foreign = config_of(tmp_path, LLAMA | {"auto_map": {"AutoModel": "owner/other--modeling_x.X"}})
    assert found(foreign) == [("LP012", "auto-map", "info")]
    assert "owner/other" in foreign.problems[0].text
    slow_and_fast = config_of(tmp_path, LLAMA | {"auto_map": {"AutoTokenizer": ["tok.Slow", None]}})
    assert found(slow_and_fast) == [("LP012", "auto-map", "info")]
    outside = config_of(tmp_path, LLAMA | {"vision_config": {"auto_map": {"AutoModel": "../../evil.X"}}})
    assert found(outside) == [("LP110", "auto-map", "error")]


def test_a_class_name_with_control_characters_is_a_warning(tmp_path: Path) -> None:
    assert found(config_of(tmp_path, LLAMA | {"architectures": ["\x1b[2Jx"]})) == [("LP011", "class-name", "warning")]


def test_companion_files_are_looked_at_and_never_obeyed(tmp_path: Path) -> None:
    config = config_of(
        tmp_path,
        LLAMA,
        adapter_config={"base_model_name_or_path": "http://192.0.2.7/x", "r": 10**12, "target_modules": "(.*)*x"},
        tokenizer_config={"chat_template": "{{ x.__class__ }}"},
    )
    assert found(config) == [
        ("LP110", "remote", "error"),
        ("LP014", "bound", "error"),
        ("LP015", "exponential", "error"),
        ("LP012", "template", "warning"),
    ]


def test_an_ordinary_adapter_and_template_are_no_problem(tmp_path: Path) -> None:
    adapter = {"base_model_name_or_path": "owner/base", "r": 8, "target_modules": r".*(q|k)_proj|.*\.mlp\..*"}
    config = config_of(tmp_path, LLAMA, adapter_config=adapter, tokenizer_config={"chat_template": "{{ messages[0] }}"})
    assert found(config) == []


def test_a_problem_names_the_line_of_its_field(tmp_path: Path) -> None:
    text = '{\n "text_config": {\n  "num_hidden_layers": -1\n },\n "torch_dtype": "fp16"\n}'
    problems = config_of(tmp_path, text).problems
    assert [(problem.expected, problem.line) for problem in problems] == [
        ("torch_dtype", 5),
        ("text_config.num_hidden_layers", 3),
    ]


def test_a_config_of_more_values_than_any_model_has_is_not_expanded(tmp_path: Path) -> None:
    many, some = ({"id2label": {str(number): "a" for number in range(most)}} for most in (60_001, 21_841))
    assert found(config_of(tmp_path, LLAMA | many)) == [("LP014", "bound", "error")]
    assert not found(config_of(tmp_path, LLAMA | some))
