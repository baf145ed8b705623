"""With the checkpoint at hand the answer is definite: real checks of tiny damaged checkpoints decide between causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.explaining import explain
from tests.zoo.checkpoint import build
from tests.zoo.mutations import mutation

# (error text, layout, damages, code that must come first, confidence)
CONFIRMED = [
    ("There is no module or parameter named '_orig_mod' in LlamaForCausalLM", "llama", ['add_prefix("_orig_mod.")'], "LP401", "certain"),
    ("ValueError: Can not map tensor 'embed_tokens.weight'", "llama", ['drop("lm_head.weight")', 'strip_prefix("model.")'], "LP405", "certain"),
    ("KeyError: 'model.model.model.embed_tokens.weight'", "llama", ['add_prefix("model.")'], "LP403", "certain"),
    ("AssertionError: assert loaded_weight.shape[output_dim] == self.org_vocab_size", "llama", ['set_config("vocab_size", 250)'], "LP207", "certain"),
    ("AssertionError: assert loaded_weight.shape[output_dim] == self.org_vocab_size", "llama", ['flatten("lm_head.weight")'], "LP201", "likely"),
    ("RuntimeError: size mismatch, got input (5), mat (5x64), vec (16384)", "llama", ['flatten("lm_head.weight")'], "LP201", "certain"),
    ("KeyError: 'model.layers.1.mlp.down_proj.weight_scale_inv'", "llama", ['fp8_blocks("*down_proj.weight")'], "LP601", "certain"),
    ("ValueError: Can not map tensor 'model.layers.0.mlp.down_proj.weight.absmax'", "llama", ['bnb_4bit("*down_proj.weight")'], "LP607", "certain"),
    ("Some weights of LlamaForCausalLM were not initialized from the model checkpoint at x and are newly initialized: ['lm_head.weight']", "llama", ['drop("lm_head.weight")'], "LP203", "certain"),
    ("Some weights of the model checkpoint were not used: ['lm_head.0.weight']; newly initialized: ['lm_head.weight']", "llama", ['rename("^lm_head", "lm_head.0")'], "LP209", "certain"),
    ("size mismatch for model.layers.0.mlp.up_proj.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([64, 32])", "llama", ['placeholders("*")'], "LP506", "certain"),
    ("FileNotFoundError: No such file or directory: \"/m/model-00002-of-00003.safetensors\"", "llama", ["shards(3)", "drop_shard(2)"], "LP102", "certain"),
    ("safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer", "llama", ['cut_file("model.safetensors", 100)'], "LP003", "certain"),
]


@pytest.mark.parametrize(("text", "layout", "damages", "code", "confidence"), CONFIRMED)
def test_the_check_confirms_the_cause_of_the_text(text: str, layout: str, damages: list[str], code: str, confidence: str, tmp_path: Path) -> None:
    folder = build(layout).mutate(*map(mutation, damages)).write(tmp_path / "m")
    report = explain(text, folder)
    assert report.findings[0].code == code
    assert report.findings[0].confidence == confidence
