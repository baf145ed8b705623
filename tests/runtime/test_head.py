"""HeadSpec and the repair in place, against real torch and transformers."""

import pytest
import torch
from torch import nn

from loadproof.runtime import HeadFault, HeadSpec, assert_2d, ensure_lm_head_2d, sanitize
from tests.runtime.models import HIDDEN, VOCAB, flatten, generate, llama, logits

pytestmark = pytest.mark.torch


def test_spec_comes_from_the_head_itself():
    assert HeadSpec.from_model(llama()) == HeadSpec(vocab=VOCAB, hidden=HIDDEN)


def test_two_dimensional_weight_passes():
    HeadSpec(16, 8).assert_2d(torch.randn(16, 8))
    assert_2d(torch.randn(16, 8))


@pytest.mark.parametrize("tied", [True, False])
def test_flattened_head_is_repaired_bitwise_and_in_place(tied):
    model = llama(tied)
    before, weight = logits(model), model.lm_head.weight
    pointer = weight.data_ptr()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    flatten(weight)
    sanitize(model)
    assert model.lm_head.weight is weight
    assert weight.data_ptr() == pointer
    assert any(p is weight for group in optimizer.param_groups for p in group["params"])
    assert (model.model.embed_tokens.weight is weight) == tied
    assert torch.equal(logits(model), before)
    assert generate(model).shape == (1, 7)


def test_flattened_embedding_is_repaired_too():
    model = llama(tied=False)
    before = logits(model)
    flatten(model.model.embed_tokens.weight)
    ensure_lm_head_2d(model)
    assert torch.equal(logits(model), before)


def test_broken_tie_is_restored_where_config_and_storage_prove_it():
    model = llama(tied=True)
    before = logits(model)
    model.lm_head.weight = nn.Parameter(model.model.embed_tokens.weight.data.view(-1))
    ensure_lm_head_2d(model)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    assert torch.equal(logits(model), before)


def test_untied_copy_is_viewed_but_not_tied():
    model = llama(tied=True)
    model.lm_head.weight = nn.Parameter(model.model.embed_tokens.weight.data.flatten().clone())
    ensure_lm_head_2d(model)
    assert tuple(model.lm_head.weight.shape) == (VOCAB, HIDDEN)
    assert model.lm_head.weight is not model.model.embed_tokens.weight


def broken(weight):
    model = llama(tied=False)
    model.lm_head.weight = nn.Parameter(weight, requires_grad=False)
    return model


@pytest.mark.parametrize(
    ("weight", "code", "words"),
    [
        (torch.randn(VOCAB * HIDDEN - 1), "LP905", "never reshape a piece"),
        (torch.randn(VOCAB * HIDDEN + 1), "LP901", "no view of this tensor is right"),
        (torch.randn(HIDDEN, VOCAB), "LP902", "transposed"),
        (torch.randn(VOCAB // 2, HIDDEN), "LP905", "of 64 rows"),
        (torch.randn(VOCAB + 3, HIDDEN), "LP902", "67 x 32"),
        (torch.randn(VOCAB, HIDDEN, 1), "LP901", "3 dimensions"),
        (torch.randn(VOCAB), "LP901", "1 dimensions"),
        (torch.empty(0), "LP904", "no elements"),
        (torch.empty(0, HIDDEN), "LP904", "no elements"),
        (torch.zeros(VOCAB * HIDDEN // 2, 1, dtype=torch.uint8), "LP906", "uint8"),
        (torch.zeros(VOCAB * HIDDEN, dtype=torch.uint8), "LP906", "do not reshape"),
        (torch.empty(VOCAB, HIDDEN, device="meta"), "LP904", "meta device"),
    ],
)
def test_refused_with_reason_and_unchanged(weight, code, words):
    model = broken(weight)
    with pytest.raises(HeadFault) as refusal:
        ensure_lm_head_2d(model)
    assert code in str(refusal.value)
    assert words in str(refusal.value)
    assert model.lm_head.weight.shape == weight.shape


def test_zero3_placeholder_is_refused_and_named():
    model = llama(tied=True)
    weight = model.model.embed_tokens.weight
    weight.ds_id, weight.ds_shape = 7, torch.Size((VOCAB, HIDDEN))
    weight.data = torch.empty(0)
    with pytest.raises(HeadFault, match=r"ZeRO-3.*\[64, 32\]"):
        ensure_lm_head_2d(model)


def test_gathered_zero3_parameter_is_in_order():
    model = llama(tied=True)
    weight = model.model.embed_tokens.weight
    weight.ds_id, weight.ds_shape = 7, torch.Size((VOCAB, HIDDEN))
    ensure_lm_head_2d(model)


def test_a_model_without_a_head_says_so():
    with pytest.raises(HeadFault, match="no output head"):
        HeadSpec.from_model(nn.Linear(2, 3))


def test_padded_rows_above_the_vocabulary_are_in_order():
    model = llama(tied=False)
    model.resize_token_embeddings(VOCAB, pad_to_multiple_of=48)
    ensure_lm_head_2d(model)
    assert model.lm_head.weight.shape[0] == 96


def test_gpt2_and_encoder_decoder_heads_are_found():
    from transformers import GPT2Config, GPT2LMHeadModel

    from tests.runtime.models import t5

    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=VOCAB, n_embd=HIDDEN, n_layer=2, n_head=4))
    assert HeadSpec.from_model(gpt2) == HeadSpec(VOCAB, HIDDEN)
    model = t5()
    flatten(model.shared.weight)
    ensure_lm_head_2d(model)
    assert tuple(model.shared.weight.shape) == (VOCAB, HIDDEN)
