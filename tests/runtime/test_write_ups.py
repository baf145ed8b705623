"""The examples and tests of the two write-ups, as printed there; only the imports are ours."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from loadproof import (
    HeadSpec,
    LayerPlan,
    build_state_dict_mapper,
    ensure_lm_head_2d,
    infer_layer_types_from_checkpoint,
    map_weights_safe,
)

pytestmark = pytest.mark.torch


class TinyLM(nn.Module):
    def __init__(self, hidden, vocab):
        super().__init__()
        self.hidden = hidden
        self.vocab = vocab
        self.embed = nn.Parameter(torch.randn(vocab, hidden))
        self.lm_head = nn.Linear(hidden, vocab, bias=False)
        self.lm_head.weight = self.embed  # tie

    def generate_step(self, hidden):
        return torch.matmul(hidden, self.lm_head.weight.T)  # [B,T,vocab]


def test_first_layer_example():
    model = TinyLM(8, 16)
    flat = model.embed.data.flatten().clone()
    model.embed = nn.Parameter(flat)
    model.lm_head.weight = model.embed
    ensure_lm_head_2d(model, vocab=16, hidden=8)
    out = model.generate_step(torch.randn(2, 4, 8))
    assert tuple(out.shape) == (2, 4, 16)


class UntiedLM(nn.Module):
    def __init__(self, hidden, vocab):
        super().__init__()
        self.lm_head = nn.Linear(hidden, vocab, bias=False)

    def generate(self, hidden):
        return torch.matmul(hidden, self.lm_head.weight.T)


def test_second_layer_example():
    spec = HeadSpec(vocab=16, hidden=8)
    model = UntiedLM(8, 16)
    model.lm_head.weight = nn.Parameter(model.lm_head.weight.data.flatten().clone())
    spec.sanitize(model)
    out = model.generate(torch.randn(2, 4, 8))
    assert tuple(out.shape) == (2, 4, 16)


def test_assert_2d_is_a_value_error():
    with pytest.raises(ValueError, match="2-D"):
        HeadSpec(vocab=16, hidden=8).assert_2d(torch.randn(16 * 8))
    with pytest.raises(ValueError, match="16"):
        HeadSpec(vocab=16, hidden=8).assert_2d(torch.randn(8, 16))


def logits(weight, hidden):
    return F.linear(hidden, weight)


def test_2d_weight_passes():
    w = torch.randn(16, 8)
    out = logits(w, torch.randn(2, 4, 8))
    assert out.shape == (2, 4, 16)


def test_1d_weight_raises():
    w = torch.randn(16 * 8)  # 1-D
    with pytest.raises(RuntimeError):
        logits(w, torch.randn(2, 4, 8))


def test_validate_finds_missing_linear_attn():
    plan = LayerPlan(linear_attn_layers={20}, num_layers=21)
    sd = {"language_model.model.layers.20.self_attn": 1}  # no linear_attn
    with pytest.raises(ValueError):  # noqa: PT011
        plan.validate_against_checkpoint(sd)


def test_validate_passes_when_consistent():
    plan = LayerPlan(linear_attn_layers={20}, num_layers=21)
    sd = {"language_model.model.layers.20.linear_attn": 1}
    plan.validate_against_checkpoint(sd)  # does not raise


def test_infer_from_checkpoint():
    sd = {
        "language_model.model.layers.0.self_attn": 1,
        "language_model.model.layers.20.linear_attn": 1,
    }
    types = infer_layer_types_from_checkpoint(sd)
    assert types[0] == "full_attn"
    assert types[20] == "linear_attn"


def test_mapper_readable_keyerror():
    plan = LayerPlan(linear_attn_layers={20}, num_layers=21)
    mapper = build_state_dict_mapper(plan)
    sd = {"language_model.model.layers.20.self_attn": 1}
    with pytest.raises(KeyError):
        mapper(sd)


def test_safe_map_skips_missing():
    mapped = map_weights_safe(
        {"language_model.model.layers.0.self_attn": 1},
        {0: "full_attn", 20: "linear_attn"},
    )
    assert "language_model.model.layers.20.linear_attn" in mapped


def test_load_consistent_checkpoint_ok():
    plan = LayerPlan(linear_attn_layers={20}, num_layers=21)
    sd = {f"language_model.model.layers.{i}.self_attn": 1 for i in range(21)}
    sd["language_model.model.layers.20.linear_attn"] = 1
    mapper = build_state_dict_mapper(plan)
    assert mapper(sd)
