"""Tiny bases: name -> (Auto class, configuration, the words of its modules)."""

from __future__ import annotations

from typing import Any, NamedTuple

_SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "vocab_size": 64,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_EXPERTS: dict[str, Any] = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "head_dim": 8}
_LINEAR: dict[str, Any] = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
}
_VISION: dict[str, Any] = {
    "model_type": "siglip_vision_model",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 14,
}


class Words(NamedTuple):
    """What the modules of a base are called: attention, one of the feed-forward part, embedding, head."""

    attention: tuple[str, ...] = ("q_proj", "v_proj")
    feed_forward: str = "down_proj"
    embedding: str = "embed_tokens"
    head: str = "lm_head"


class BaseModel(NamedTuple):
    auto: str
    config: dict[str, Any]
    words: Words = Words()
    task: str | None = "CAUSAL_LM"


def _causal(model_type: str, *words: Any, **config: Any) -> BaseModel:
    fields = {"model_type": model_type, "tie_word_embeddings": False, **_SIZES, **config}
    return BaseModel("AutoModelForCausalLM", fields, *words)


BASES: dict[str, BaseModel] = {
    "llama": _causal("llama"),
    "llama_tied": _causal("llama", tie_word_embeddings=True),
    "qwen2": _causal("qwen2"),
    "qwen3_moe": _causal("qwen3_moe", **_EXPERTS),
    "mixtral": _causal("mixtral", num_local_experts=4, num_experts_per_tok=2),
    "qwen3_next": _causal(
        "qwen3_next", Words(("q_proj", "in_proj_qkvz")), shared_expert_intermediate_size=16, **_LINEAR, **_EXPERTS
    ),
    "qwen3_5": _causal("qwen3_5_text", Words(("q_proj", "in_proj_qkv")), head_dim=8, **_LINEAR),
    "gpt2": _causal("gpt2", Words(("c_attn",), "c_proj", "wte"), n_embd=32, n_layer=3, n_head=4, n_positions=64),
    "falcon": _causal("falcon", Words(("query_key_value",), "dense_4h_to_h", "word_embeddings")),
    "gemma3": BaseModel(
        "AutoModelForImageTextToText",
        {
            "model_type": "gemma3",
            "text_config": {"model_type": "gemma3_text", "head_dim": 8, "sliding_window": 16, **_SIZES},
            "vision_config": _VISION,
            "mm_tokens_per_image": 4,
            "image_token_index": 60,
            "boi_token_index": 61,
            "eoi_token_index": 62,
        },
    ),
    "bert": BaseModel(
        "AutoModelForSequenceClassification",
        {"model_type": "bert", **{k: v for k, v in _SIZES.items() if k != "num_key_value_heads"}},
        Words(("query", "value"), "output.dense", "word_embeddings", "classifier"),
        "SEQ_CLS",
    ),
    "t5": BaseModel(
        "AutoModelForSeq2SeqLM",
        {
            "model_type": "t5",
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 48,
            "num_layers": 3,
            "num_heads": 4,
            "vocab_size": 64,
            "pad_token_id": 0,
            "eos_token_id": 1,
            "decoder_start_token_id": 0,
        },
        Words(("q", "v"), "wo", "shared"),
        "SEQ_2_SEQ_LM",
    ),
}
# Bases that an adapter of another one is put on.
OTHERS: dict[str, BaseModel] = {
    "llama_narrow": _causal("llama", hidden_size=16),
    "llama_shallow": _causal("llama", num_hidden_layers=2),
    "llama_deep": _causal("llama", num_hidden_layers=4),
    "llama_vocabulary": _causal("llama", vocab_size=72),
    "mistral": _causal("mistral"),
    "gemma3_text": BaseModel("AutoModelForCausalLM", BASES["gemma3"].config["text_config"]),
    "qwen3_moe_few": _causal("qwen3_moe", **{**_EXPERTS, "num_experts": 2}),
}
ALL = {**BASES, **OTHERS}
