"""Healthy models of many kinds draw no finding: ties at other levels, several embeddings, configs that rewrite themselves."""

import pytest

from loadproof.runtime import check_logits_head, diagnose, ensure_lm_head_2d
from tests.differential import composite_models, tiny_models

pytestmark = pytest.mark.torch


def complaints(model):
    check_logits_head(model)
    ensure_lm_head_2d(model)
    return [(finding.code, finding.headline) for finding in diagnose(model).findings]


@pytest.mark.parametrize("model_type", [*tiny_models.FEW, "falcon_h1", "lfm2", "gemma3n_text", "minimax"])
def test_text_models(model_type):
    assert complaints(tiny_models.build(model_type)) == []


@pytest.mark.parametrize("model_type", ["qwen3_vl_moe", "t5gemma", "t5"])
def test_composite_models(model_type):
    assert complaints(composite_models.build(model_type)) == []


def test_a_class_without_readable_source_says_what_was_not_checked():
    import torch

    report = diagnose(torch.nn.Sequential(torch.nn.Linear(2, 3)))
    assert "layer plan" not in report.checked
    assert report.skipped[0].what == "layer plan"
