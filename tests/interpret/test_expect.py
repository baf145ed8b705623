"""What the installed release expects, and what is said when it cannot be told."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.families import count
from loadproof.interpret import expect
from loadproof.interpret.release import locate

TINY = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 10,
}


def read(raw: dict[str, Any], **options: Any) -> Expectation:
    return expect(ModelConfig("config.json", raw), ".", use_cache=False, **options)


def shapes(expectation: Expectation) -> dict[str, tuple[int, ...]]:
    return {f.template: f.shape for f in expectation.families}


def test_a_dense_model_is_known_by_name_and_shape() -> None:
    found = read(TINY)
    assert (found.inconclusive, found.raises, found.source, found.reader) == (None, None, "installed", "transformers")
    assert found.class_name == "LlamaForCausalLM"
    assert shapes(found) == {
        "model.embed_tokens.weight": (10, 8),
        "model.layers.{}.self_attn.q_proj.weight": (8, 8),
        "model.layers.{}.self_attn.k_proj.weight": (4, 8),
        "model.layers.{}.self_attn.v_proj.weight": (4, 8),
        "model.layers.{}.self_attn.o_proj.weight": (8, 8),
        "model.layers.{}.mlp.gate_proj.weight": (12, 8),
        "model.layers.{}.mlp.up_proj.weight": (12, 8),
        "model.layers.{}.mlp.down_proj.weight": (8, 12),
        "model.layers.{}.input_layernorm.weight": (8,),
        "model.layers.{}.post_attention_layernorm.weight": (8,),
        "model.norm.weight": (8,),
        "lm_head.weight": (10, 8),
    }
    assert found.parameters == sum(count(f.axes) for f in found.families) == 30
    assert found.base_model_prefix == "model"
    assert "model.rotary_emb.inv_freq" in found.buffer_names
    assert found.config["num_key_value_heads"] == 2
    assert found.config["rms_norm_eps"] == pytest.approx(1e-6)


def test_each_family_names_the_line_that_made_it() -> None:
    found = {f.template: f.source for f in read(TINY).families}
    file, _, line = found["model.layers.{}.self_attn.k_proj.weight"].partition(":")
    assert file == "modeling_llama.py"
    root = locate.find_source(None)
    assert root is not None
    with open(os.path.join(root, "models", "llama", file), encoding="utf-8") as f:
        assert "k_proj" in f.read().splitlines()[int(line) - 1]


def test_ties_follow_the_config() -> None:
    assert read(TINY).ties == ()
    assert read({**TINY, "tie_word_embeddings": True}).ties == (("lm_head.weight", "model.embed_tokens.weight"),)


def test_conversion_rules_are_the_releases_own() -> None:
    found = read({"model_type": "qwen3_moe", "num_hidden_layers": 2, "num_experts": 4})
    first = found.private.rules[0]
    assert (first.kind, first.targets) == ("WeightConverter", ("mlp.experts.gate_up_proj",))
    assert [o.name for o in first.operations] == ["MergeModulelist", "Concatenate"]
    assert first.operations[0].arguments["dim"] == 0
    assert "(?P<g0>" in first.regex
    assert "(?P<g1>" in first.regex
    assert any(rule.sources == ("LayerNorm.gamma",) for rule in found.private.rules)


def test_layer_types_choose_the_mixer() -> None:
    raw = {"model_type": "qwen3_next", "num_hidden_layers": 2, "num_experts": 2}
    mixed = read({**raw, "layer_types": ["linear_attention", "full_attention"]})
    axes = {f.template: f.axes[0] for f in mixed.families if f.template.endswith(("q_proj.weight", "A_log"))}
    assert axes == {"model.layers.{}.linear_attn.A_log": (0,), "model.layers.{}.self_attn.q_proj.weight": (1,)}


def test_the_class_can_be_named() -> None:
    found = read(TINY, class_name="LlamaModel")
    assert found.class_name == "LlamaModel"
    assert "lm_head.weight" not in shapes(found)
    assert "embed_tokens.weight" in shapes(found)


@pytest.mark.parametrize(
    ("architectures", "wanted"),
    [
        (None, "LlamaForCausalLM"),
        ([], "LlamaForCausalLM"),
        (["Nonsense"], "LlamaForCausalLM"),
        (["LlamaModel"], "LlamaModel"),
    ],
)
def test_the_class_is_the_one_auto_would_pick(architectures: Any, wanted: str) -> None:
    assert read({**TINY, "architectures": architectures}).class_name == wanted


def test_a_class_of_another_configuration_is_not_taken() -> None:
    assert read({**TINY, "architectures": ["BertForMaskedLM"]}).class_name == "LlamaForCausalLM"


def test_an_unknown_model_type_raises_what_the_library_raises() -> None:
    found = read({"model_type": "never_heard_of"})
    assert found.raises is not None
    assert "has model type `never_heard_of` but Transformers does not recognize this architecture" in found.raises


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"layer_types": ["full_attention"]},
            "`num_hidden_layers` (3) must be equal to the number of `layer_types` (1)",
        ),
        ({"layer_types": ["no_such_word"] * 3}, "The `layer_types` entries must be in"),
        ({"hidden_size": "eight"}, "Field 'hidden_size' expected int, got str"),
        ({"num_attention_heads": 3}, "The hidden size (8) is not a multiple of the number of attention heads (3)"),
        ({"num_attention_heads": 0}, "ZeroDivisionError"),
    ],
)
def test_a_config_the_library_refuses_is_refused_with_its_words(change: dict[str, Any], text: str) -> None:
    found = read({**TINY, **change})
    assert found.inconclusive is None
    assert text in (found.raises or "")


def test_an_impossible_depth_ends_soon_and_says_why() -> None:
    found = read({**TINY, "num_hidden_layers": 1_000_000_000})
    assert found.raises is None
    assert "1,000,000,000" in (found.inconclusive or "")


@pytest.mark.parametrize("raw", [{"model_type": 3}, {"architectures": "x"}, {"model_type": ""}, {"a": 1}])
def test_a_config_without_a_model_type_is_no_traceback(raw: dict[str, Any]) -> None:
    assert "Unrecognized model" in (read(raw).raises or "")


def test_no_config_is_inconclusive() -> None:
    assert "no config.json" in (expect(ModelConfig(None, {}), ".").inconclusive or "")


def test_without_a_release_the_command_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(locate, "_from_finders", lambda: None)
    found = read(TINY)
    assert found.source == "none"
    assert "no transformers source found" in (found.inconclusive or "")
    assert found.hint == 'pip install "loadproof[transformers]"'


def test_a_source_that_is_none_is_the_callers_mistake(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="no transformers source there"):
        read(TINY, source=str(tmp_path))


def test_a_source_may_be_the_package_or_its_parent() -> None:
    root = locate.find_source(None)
    assert root is not None
    assert locate.find_source(root) == locate.find_source(os.path.dirname(root)) == root


def test_nothing_heavy_is_imported() -> None:
    import subprocess

    script = (
        "import sys; from loadproof.interpret import expect; from loadproof.core.config import ModelConfig; "
        "e = expect(ModelConfig('c', {'model_type': 'llama', 'num_hidden_layers': 1}), '.', use_cache=False); "
        "assert e.parameters == 12, e; "
        "assert not {'torch', 'transformers', 'numpy', 'safetensors', 'huggingface_hub'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
