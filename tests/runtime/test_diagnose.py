"""diagnose(): the live module through the LP9 rules, one finding for one fault."""

import pytest
import torch
from torch import nn

from loadproof.report import render_text
from loadproof.runtime import diagnose
from tests.runtime.models import HIDDEN, VOCAB, flatten, llama, t5

pytestmark = pytest.mark.torch


def codes(model):
    return [finding.code for finding in diagnose(model).findings]


@pytest.mark.parametrize("make", [llama, lambda: llama(tied=False), t5])
def test_healthy_models_are_silent(make):
    report = diagnose(make())
    assert report.verdict == "loads"
    assert report.findings == ()


def test_a_flattened_tied_head_is_one_finding():
    model = llama(tied=True)
    flatten(model.lm_head.weight)
    assert codes(model) == ["LP901"]
    assert diagnose(model).verdict == "fails"


def test_transposed_rows_shard_packed_and_placeholder_have_their_codes():
    cases = {
        "LP902": torch.randn(HIDDEN, VOCAB),
        "LP905": torch.randn(VOCAB // 2, HIDDEN),
        "LP906": torch.zeros(VOCAB * HIDDEN // 2, 1, dtype=torch.uint8),
        "LP904": torch.empty(0),
    }
    for code, weight in cases.items():
        model = llama(tied=False)
        model.lm_head.weight = nn.Parameter(weight, requires_grad=False)
        assert codes(model) == [code]


def test_a_broken_tie_is_a_warning():
    model = llama(tied=True)
    model.lm_head.weight = nn.Parameter(model.lm_head.weight.detach().clone())
    report = diagnose(model)
    assert [(f.code, f.severity) for f in report.findings] == [("LP903", "warning")]
    assert report.verdict == "loads"


def test_a_layer_that_is_not_what_the_config_declares():
    from transformers import Qwen3NextConfig, Qwen3NextForCausalLM

    config = Qwen3NextConfig(
        vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=48, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, linear_num_value_heads=2, linear_num_key_heads=2, linear_key_head_dim=8,
        linear_value_head_dim=8, num_experts=2, num_experts_per_tok=1, moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
    )  # fmt: skip
    model = Qwen3NextForCausalLM(config)
    assert diagnose(model).findings == ()
    model.config.layer_types = ["full_attention", *model.config.layer_types[1:]]
    report = diagnose(model)
    assert [f.code for f in report.findings] == ["LP301"]
    assert "layer(s) 0" in report.findings[0].headline


def test_zero3_placeholders_outside_the_engine_and_under_its_hooks():
    model = llama(tied=False)
    for module in model.modules():
        for parameter in module.__dict__["_parameters"].values():
            if parameter is not None:
                parameter.ds_id, parameter.ds_shape, parameter.ds_status = 1, parameter.shape, "NOT_AVAILABLE"
    for parameter in model.parameters():
        parameter.data = torch.empty(0)
    assert codes(model) == ["LP904", "LP904"]
    assert "GatheredParameters" in diagnose(model).findings[0].fixes[0].title

    class ZeROOrderedDict(dict):  # the name DeepSpeed's engine gives the parameters it gathers by hooks
        pass

    for module in model.modules():
        module.__dict__["_parameters"] = ZeROOrderedDict(module.__dict__["_parameters"])
    assert codes(model) == []


def test_the_report_prints_like_any_other():
    model = llama(tied=False)
    flatten(model.lm_head.weight)
    text = render_text(diagnose(model))
    assert "error[LP901] head-not-2d" in text
    assert "lm_head.weight" in text
    assert "[64, 32]" in text
