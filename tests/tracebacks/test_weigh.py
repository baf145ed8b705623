"""With the checkpoint at hand the answer is definite: real checks of tiny checkpoints decide between the causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.explaining import explain
from loadproof.core.case import Report
from loadproof.report.explain_text import render_explanation
from tests.zoo.checkpoint import build
from tests.zoo.mutations import mutation

NO_MODULE = "ValueError: There is no module or parameter named '{}' in {}"
VOCAB_ASSERT = "AssertionError: assert loaded_weight.shape[output_dim] == self.org_vocab_size"
EMPTY_ROW = (
    "size mismatch for model.layers.0.mlp.up_proj.weight: copying a param with shape torch.Size([0]) from checkpoint, "
    "the shape in current model is torch.Size([64, 32])"
)
NEWLY = (
    "Some weights of LlamaForCausalLM were not initialized from the model checkpoint at x and are newly initialized: "
)
TWO_D = "RuntimeError: 'weight' must be 2-D"
COPY = 'copy_tensor("model.embed_tokens.weight", "lm_head.weight")'

# (error text, layout, damages, code that must come first)
FAULTY = [
    (NO_MODULE.format("_orig_mod", "LlamaForCausalLM"), "llama", ['add_prefix("_orig_mod.")'], "LP401"),
    (NO_MODULE.format("base_model", "LlamaForCausalLM"), "llama", ['peft_dump(["q_proj"])'], "LP404"),
    (NO_MODULE.format("lm_head", "LlamaForCausalLM"), "llama_tied", [COPY], "LP205"),
    ("ValueError: Can not map tensor 'embed_tokens.weight'", "llama", ['drop("lm_head*")', 'strip_prefix("model.")'], "LP405"),
    ("KeyError: 'model.model.model.embed_tokens.weight'", "llama", ['add_prefix("model.")'], "LP403"),
    (VOCAB_ASSERT, "llama", ['set_config("vocab_size", 250)'], "LP207"),
    (VOCAB_ASSERT, "llama", ['flatten("lm_head.weight")'], "LP201"),
    ("RuntimeError: size mismatch, got input (5), mat (5x64), vec (16384)", "llama", ['flatten("lm_head.weight")'], "LP201"),
    ("ValueError: Expected shape (256, 64) but received shape (16384,) for parameter lm_head.weight", "llama", ['flatten("lm_head.weight")'], "LP201"),
    ("KeyError: 'model.layers.1.mlp.down_proj.weight_scale_inv'", "llama", ['fp8_blocks("*down_proj.weight")'], "LP601"),
    ("ValueError: Can not map tensor 'model.layers.0.mlp.down_proj.weight.absmax'", "llama", ['bnb_4bit("*down_proj.weight")'], "LP607"),
    (NEWLY + "['lm_head.weight']", "llama", ['drop("lm_head.weight")'], "LP203"),
    ("llama_model_load: error loading model: missing tensor 'output.weight'", "llama", ['drop("lm_head.weight")'], "LP203"),
    ("RuntimeError: weight lm_head.weight does not exist", "llama", ['drop("lm_head.weight")'], "LP203"),
    ("not used: ['lm_head.0.weight']; newly initialized: ['lm_head.weight']", "llama", ['rename("^lm_head", "lm_head.0")'], "LP209"),
    ("Following weights were not initialized from checkpoint: {'lm_head.weight'}", "llama", ['rename("^lm_head", "model.lm_head")'], "LP209"),
    (EMPTY_ROW, "llama", ['placeholders("*")'], "LP506"),
    (TWO_D, "llama", ['placeholders("*")'], "LP506"),
    (TWO_D, "llama", ['flatten("model.embed_tokens.weight")'], "LP202"),
    (TWO_D, "llama", ['fsdp1_slices(["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"], 0, 8)'], "LP507"),
    ('FileNotFoundError: No such file or directory: "/m/model-00002-of-00003.safetensors"', "llama", ["shards(3)", "drop_shard(2)"], "LP102"),
    ("SafetensorError: Error while deserializing header: MetadataIncompleteBuffer", "llama", ['cut_file("model.safetensors", 100)'], "LP003"),
    (NO_MODULE.format("layers.3.self_attn", "Qwen3NextModel"), "qwen3_next", ['set_config("layer_types[3]", "linear_attention")'], "LP301"),
    ("ValueError: Received 1 parameters not in model: lm_head.weight", "llama_tied", [COPY], "LP205"),
    ("KeyError: 'lm_head.weight'", "llama_tied", [COPY], "LP205"),
    ("a text that nobody knows", "llama", ['flatten("lm_head.weight")'], "LP201"),
]  # fmt: skip
HEALTHY = [
    ("KeyError: 'model.layers.2.linear_attn'", "qwen3_next", "LP704"),
    ("KeyError: 'language_model.model.layers.2.linear_attn'", "qwen3_5", "LP704"),
    ("RuntimeError: weight lm_head.weight does not exist", "llama_tied", "LP704"),
    ("KeyError: 'lm_head.weight'", "llama_tied", "LP704"),
    ("KeyError: 'layers.1.mlp.experts.w13_weight'", "qwen3_moe", "LP704"),
    ("KeyError: 'layers.2.mlp.gate.g_idx'", "qwen3_moe", "LP704"),
    (NO_MODULE.format("_orig_mod", "LlamaForCausalLM"), "llama", "LP704"),
    ("AssertionError: 2 is not divisible by 4", "llama", "LP702"),
    (TWO_D, "llama", "LP904"),
]


def ask(text: str, layout: str, damages: list[str], folder: Path) -> Report:
    return explain(text, build(layout).mutate(*map(mutation, damages)).write(folder / "m"))


@pytest.mark.parametrize(("text", "layout", "damages", "code"), FAULTY)
def test_the_fault_of_the_checkpoint_comes_first(
    text: str, layout: str, damages: list[str], code: str, tmp_path: Path
) -> None:
    report = ask(text, layout, damages, tmp_path)
    findings = report.findings
    assert findings[0].code == code
    assert findings[0].confidence in ("certain", "likely")
    assert render_explanation(report).count("\n") <= 25


@pytest.mark.parametrize(("text", "layout", "code"), HEALTHY)
def test_a_healthy_checkpoint_is_not_blamed(text: str, layout: str, code: str, tmp_path: Path) -> None:
    report = ask(text, layout, [], tmp_path)
    assert report.verdict == "loads"
    assert report.findings[0].code == code
    assert all(finding.confidence == "possible" for finding in report.findings if finding.severity == "error")


def test_a_registry_name_is_certain_once_config_and_tensors_agree(tmp_path: Path) -> None:
    log = "Initializing with config: pipeline_parallel_size=2, distributed_executor_backend=ray\n"
    report = ask(log + "KeyError: 'model.layers.4.linear_attn'", "qwen3_next", [], tmp_path)
    first = report.findings[0]
    assert (first.code, first.confidence) == ("LP704", "certain")
    said = "\n".join(f"{item.where} {item.text}" for item in first.evidence)
    assert "layer_types[4] = 'linear_attention'" in said
    assert "layer 4 holds" in said
    assert "8 layers / pp 2 begin stages at 0, 4: layer 4 is the first of stage 1" in said
    assert [finding.code for finding in report.findings].count("LP704") == 1


def test_a_registry_name_of_a_layer_whose_plan_is_wrong_is_no_engine_fault(tmp_path: Path) -> None:
    report = ask(
        "KeyError: 'model.layers.3.linear_attn'",
        "qwen3_next",
        ['set_config("layer_types[3]", "linear_attention")'],
        tmp_path,
    )
    assert report.findings[0].code == "LP301"


def test_another_checkpoint_than_the_one_that_failed_is_noticed(tmp_path: Path) -> None:
    report = ask("KeyError: 'model.layers.40.linear_attn'", "qwen3_next", [], tmp_path)
    assert "was another one loaded?" in "\n".join(item.text for item in report.findings[0].evidence)
    assert report.findings[0].confidence != "certain"


def test_the_symptom_is_in_the_report(tmp_path: Path) -> None:
    symptom = ask(TWO_D, "llama", [], tmp_path).case.symptom
    assert symptom is not None
    assert symptom.exception == "RuntimeError"


def test_an_unknown_text_and_a_healthy_checkpoint_give_no_finding(tmp_path: Path) -> None:
    assert ask("a text that nobody knows", "llama", [], tmp_path).findings == ()


def test_shared_keys_and_values_are_decided_by_the_config(tmp_path: Path) -> None:
    names = ", ".join(f"'model.layers.{at}.self_attn.k_norm.weight'" for at in (3, 4, 5))
    text = f"ValueError: Following weights were not initialized from checkpoint: {{{names}}}"
    sharing = ask(text, "llama", ["set_config('num_kv_shared_layers', 3)"], tmp_path / "a")
    assert "num_kv_shared_layers = 3" in str(sharing.findings[0].evidence)
    assert (sharing.findings[0].code, sharing.findings[0].confidence) == ("LP704", "certain")
    plain = ask(text, "llama", [], tmp_path / "b")
    assert "share" not in plain.findings[0].headline


@pytest.mark.parametrize(("layer", "decided"), [(40, True), (1, False)])
def test_a_layer_behind_the_last_one_was_asked_for_by_the_run(layer: int, decided: bool, tmp_path: Path) -> None:
    report = ask(f"KeyError: 'model.layers.{layer}.self_attn.kv_a_proj_with_mqa.weight'", "llama", [], tmp_path)
    found = [finding for finding in report.findings if "MTP (draft)" in finding.headline]
    assert [finding.confidence for finding in found] == (["certain"] if decided else [])
