"""The model that a quantizer of the release leaves is the one that is read from the quantizer's text."""

from __future__ import annotations

import pytest

from tests.differential.quantized.entries import ENTRIES
from tests.differential.quantized.models import CONFIGS
from tests.differential.quantized.replaced import Replaced, ours, real

pytestmark = pytest.mark.torch
SAMPLE = (
    ("llama", "fp8-block", "cuda"),
    ("qwen3_moe", "fp8-skip", "cuda:8.9"),
    ("qwen3_moe", "fp8-block", "cpu"),
    ("qwen3_moe", "fp8-block", "cuda:8.0"),
    ("gpt_oss", "fp8-block", "cuda"),
    ("deepseek_v3", "fp8-tensor-static", "cuda"),
    ("mistral3", "fp8-ue8m0", "cuda"),
    ("qwen3", "bnb4-nf4", "cpu"),
    ("gpt2", "bnb4-bf16", "cuda"),
    ("llama4", "bnb8", "cpu"),
    ("llama", "bnb4-offload", "cpu"),
    ("llama", "bnb4-offload", "cuda"),
)


def agree(found: Replaced, wanted: Replaced) -> None:
    """Names, shapes, dtypes, kinds, rules in order and what is not compared; or an exception of the same class."""
    assert found.unknown is None
    assert found.raises == wanted.raises
    assert found.table == wanted.table
    assert found.rules == wanted.rules
    assert found.unchecked == wanted.unchecked


@pytest.mark.parametrize(("model", "entry", "device"), SAMPLE)
def test_a_replaced_model_is_the_real_one(model: str, entry: str, device: str) -> None:
    agree(ours(model, ENTRIES[entry], device), real(model, ENTRIES[entry], device))


@pytest.mark.oracle
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("model", CONFIGS)
def test_every_replaced_model_is_the_real_one(model: str, entry: str, device: str) -> None:
    """What cannot be read says so; nothing is read wrongly."""
    found = ours(model, ENTRIES[entry], device)
    if found.unknown is None:
        agree(found, real(model, ENTRIES[entry], device))
