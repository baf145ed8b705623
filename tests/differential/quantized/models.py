"""Tiny models of many kinds whose sizes suit every quantizer: multiples of 128 where a weight is packed in blocks.

Dense, tied, with biases, experts in several layouts, mixers of other kinds, vision towers, `Conv1D` in place of `Linear`.
"""

from __future__ import annotations

from typing import Any

_SIZES: dict[str, Any] = {
    "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 384,
    "dtype": "bfloat16",
}  # fmt: skip
_GROUPED = {**_SIZES, "num_key_value_heads": 2, "head_dim": 64}
_EXPERTS = {**_GROUPED, "num_experts_per_tok": 2}
_VISION = {"hidden_size": 128, "intermediate_size": 256}
_SMALL = {"moe_intermediate_size": 128, "shared_expert_intermediate_size": 128, "num_experts": 4}


def _text(model_type: str, **more: Any) -> dict[str, Any]:
    return {"model_type": model_type, **_GROUPED, **more}


CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {**_GROUPED, "attention_bias": True},
    "qwen3": {**_GROUPED, "tie_word_embeddings": True},
    "qwen3_moe": {**_EXPERTS, **_SMALL, "num_hidden_layers": 3, "mlp_only_layers": [0]},
    "mixtral": {**_EXPERTS, "num_local_experts": 4},
    "deepseek_v3": {
        **_EXPERTS, "num_hidden_layers": 3, "num_key_value_heads": 4, "moe_intermediate_size": 128, "n_routed_experts": 4,
        "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1, "q_lora_rank": 128, "kv_lora_rank": 64,
        "qk_rope_head_dim": 32, "qk_nope_head_dim": 32, "v_head_dim": 32, "head_dim": 32,
    },
    "gpt_oss": {**_EXPERTS, "intermediate_size": 256, "num_local_experts": 4,
                "layer_types": ["sliding_attention", "full_attention"]},
    "qwen3_next": {
        **_EXPERTS, **_SMALL, "num_hidden_layers": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
        "linear_key_head_dim": 32, "linear_value_head_dim": 32,
    },
    "nemotron_h": {**_GROUPED, "num_hidden_layers": 4, "hybrid_override_pattern": "M-*M", "mamba_num_heads": 8,
                   "mamba_head_dim": 64, "n_groups": 2},
    "qwen3_vl": {
        "text_config": _text("qwen3_vl_text"), "dtype": "bfloat16",
        "vision_config": {**_VISION, "model_type": "qwen3_vl", "depth": 2, "num_heads": 4, "out_hidden_size": 256,
                          "deepstack_visual_indexes": [0]},
    },
    "mistral3": {
        "text_config": _text("mistral"), "dtype": "bfloat16",
        "vision_config": {**_VISION, "model_type": "pixtral", "num_hidden_layers": 2, "num_attention_heads": 4,
                          "head_dim": 32},
    },
    "llama4": {
        "text_config": _text("llama4_text", intermediate_size=256, intermediate_size_mlp=512, num_local_experts=2,
                             moe_layers=[1]),
        "dtype": "bfloat16",
        "vision_config": {**_VISION, "model_type": "llama4_vision_model", "num_hidden_layers": 1, "num_attention_heads": 4,
                          "vision_output_dim": 128, "projector_input_dim": 128, "projector_output_dim": 128},
    },
    "gpt2": {"n_embd": 256, "n_layer": 2, "n_head": 4, "vocab_size": 384, "dtype": "float16"},
    "falcon": {"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 384, "dtype": "float16"},
    "bitnet": _GROUPED,
}  # fmt: skip
CLASSES = {
    "llama": "LlamaForCausalLM", "qwen3": "Qwen3ForCausalLM", "qwen3_moe": "Qwen3MoeForCausalLM",
    "mixtral": "MixtralForCausalLM", "deepseek_v3": "DeepseekV3ForCausalLM", "gpt_oss": "GptOssForCausalLM",
    "qwen3_next": "Qwen3NextForCausalLM", "nemotron_h": "NemotronHForCausalLM",
    "qwen3_vl": "Qwen3VLForConditionalGeneration", "mistral3": "Mistral3ForConditionalGeneration",
    "llama4": "Llama4ForConditionalGeneration", "gpt2": "GPT2LMHeadModel", "falcon": "FalconForCausalLM",
    "bitnet": "BitNetForCausalLM",
}  # fmt: skip


def config_of(name: str, entry: dict[str, Any] | None = None) -> dict[str, Any]:
    """config.json of a tiny model, with a quantization declared in it."""
    raw = {"model_type": name, "architectures": [CLASSES[name]], **CONFIGS[name]}
    return raw if entry is None else {**raw, "quantization_config": entry}
