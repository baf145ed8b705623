"""The class that fits: weights of one family under the config of a sister family, and what only looks like that."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.core.case import Report
from tests import zoo

SISTERS = (  # weights, config, the class that is to be named
    ("qwen3", "llama", "Qwen3ForCausalLM"),
    ("llama", "qwen3", "LlamaForCausalLM"),
    ("llama", "qwen2", "LlamaForCausalLM"),
    ("mistral", "qwen2", "MistralForCausalLM"),
    ("phi3", "llama", "Phi3ForCausalLM"),
    ("llama", "phi3", "LlamaForCausalLM"),
    ("gemma2", "llama", "Gemma2ForCausalLM"),
    ("llama", "gemma2", "LlamaForCausalLM"),
    ("gemma3_text", "gemma2", "Gemma3ForCausalLM"),
    ("gemma2", "gemma3_text", "Gemma2ForCausalLM"),
    ("mixtral", "qwen3_moe", "MixtralForCausalLM"),
    ("glm4_moe", "qwen3_moe", "Glm4MoeForCausalLM"),
    ("deepseek_v3", "qwen3_moe", "DeepseekV3ForCausalLM"),
    ("gpt_neox", "gpt2", "GPTNeoXForCausalLM"),
    ("gpt2", "gpt_neox", "GPT2LMHeadModel"),
    ("qwen3_5", "qwen3_vl", "Qwen3_5ForConditionalGeneration"),
    ("qwen3_vl", "qwen2_vl", "Qwen3VLForConditionalGeneration"),
    ("qwen2_vl", "qwen3_vl", "Qwen2VLForConditionalGeneration"),
    ("zamba2", "zamba", "Zamba2ForCausalLM"),
    ("mistral3", "llava", "Mistral3ForConditionalGeneration"),
    ("llava", "mistral3", "LlavaForConditionalGeneration"),
)


def _said(report: Report) -> str:
    """All that the first finding says."""
    first = report.findings[0]
    return " ".join([first.headline, *(note.text for note in first.notes), *(fix.title for fix in first.fixes)])


@pytest.mark.parametrize(("weights", "config", "fits"), SISTERS, ids=lambda value: str(value))
def test_weights_under_the_config_of_a_sister_family_name_their_own_class(
    weights: str, config: str, fits: str, tmp_path: Path
) -> None:
    made = zoo.build(weights).replace(config=zoo.build(config).config)
    assert fits in _said(check(made.write(tmp_path / "model")))


def test_classes_that_fit_equally_are_all_told(tmp_path: Path) -> None:
    made = zoo.build("llama").replace(config=zoo.build("phi3").config)
    said = check(made.write(tmp_path / "model")).findings[0].headline
    assert "fit LlamaForCausalLM (model_type llama), equally MistralForCausalLM (model_type mistral)" in said


NEAR_MISSES = (
    ("llama", zoo.add("value_head.weight", "BF16", [1, 32])),
    ("qwen2", zoo.drop("model.norm.weight")),
    ("qwen3", zoo.rename("^model\\.", "module.model.")),
    ("gemma2", zoo.rename("^model\\.", "base_model.model.model.")),
    ("mixtral", zoo.drop("model.layers.1.*")),
    ("qwen3_5", zoo.drop("model.visual.merger.*")),
)


@pytest.mark.parametrize(("family", "damage"), NEAR_MISSES, ids=[family for family, _ in NEAR_MISSES])
def test_another_class_is_not_named_where_the_class_is_right(family: str, damage: object, tmp_path: Path) -> None:
    report = check(zoo.build(family).mutate(damage).write(tmp_path / "model"))  # type: ignore[arg-type]
    assert not [found.headline for found in report.findings if " fit " in found.headline]


def test_a_text_class_is_not_named_where_it_would_lack_tensors_as_well(tmp_path: Path) -> None:
    lost = (zoo.drop("model.visual.*"), zoo.drop("*.linear_attn.*"))
    first = check(zoo.build("qwen3_5").mutate(*lost).write(tmp_path / "model")).findings[0]
    assert first.slug == "saver-dropped"
    assert not [fix.title for fix in first.fixes if "class" in fix.title]


def test_without_a_config_the_names_are_told_by_the_release(tmp_path: Path) -> None:
    for family, fits in (
        ("gpt_neox", "GPTNeoXForCausalLM"),
        ("qwen3", "Qwen3ForCausalLM"),
        ("phi3", "Phi3ForCausalLM"),
    ):
        made = zoo.build(family).replace(config=None)
        assert f"the names fit {fits}" in check(made.write(tmp_path / family)).findings[0].headline


def test_a_sound_checkpoint_does_not_ask_for_other_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadproof.interpret.likeness.alike", None)
    assert check(zoo.build("qwen3").write(tmp_path / "model")).verdict == "loads"
