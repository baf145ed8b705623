"""Tiny real models; every size differs from every other, so that a transposition cannot pass."""

from __future__ import annotations

import torch
from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

VOCAB, HIDDEN = 64, 32
IDS = torch.arange(5)[None]


def llama(tied: bool = True, seed: int = 0) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCAB,
        hidden_size=HIDDEN,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        tie_word_embeddings=tied,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).eval()


def t5() -> T5ForConditionalGeneration:
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=VOCAB, d_model=HIDDEN, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
    return T5ForConditionalGeneration(config).eval()


def logits(model: torch.nn.Module) -> torch.Tensor:
    with torch.no_grad():
        return model(IDS).logits


def generate(model: torch.nn.Module) -> torch.Tensor:
    return model.generate(IDS, max_new_tokens=2, do_sample=False)


def flatten(parameter: torch.nn.Parameter) -> None:
    parameter.data = parameter.data.view(-1)
