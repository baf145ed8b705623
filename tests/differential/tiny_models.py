"""Real, tiny transformers models of many types. Sizes are unlike each other, so that a swapped dimension shows.

`build(model_type)` returns a model on CPU, weights random. Twelve decoder layers with every kind of mixer, six experts.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "critical")

LAYERS, HIDDEN, HEADS, KV_HEADS = 12, 48, 6, 3

# Field -> size, set where the text config has the field. No two fields that meet in one weight share a size.
SIZES: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": 14,
    "intermediate_size": 88,
    "vocab_size": 206,
    "max_position_embeddings": 64,
    "block_size": 32,
    "moe_intermediate_size": 34,
    "shared_expert_intermediate_size": 38,
    "shared_intermediate_size": 38,
    "moe_shared_expert_intermediate_size": 38,
    "shared_experts_intermediate_size": 38,
    "share_expert_dim": 38,
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 6),
    **dict.fromkeys(("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"), 1),
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "num_expert_group": 1,
    "first_k_dense_replace": 1,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 6,
    "linear_key_head_dim": 10,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 3,
    "linear_head_dim": 10,
    "linear_num_heads": 3,
    "expand": 2,
    "mamba_expand": 2,
    "mamba_n_heads": 8,
    "mamba_num_heads": 8,
    "mamba_head_dim": 12,
    "mamba_d_head": "auto",
    "mamba_n_groups": 2,
    "n_groups": 2,
    "mamba_ngroups": 2,
    "mamba_d_state": 9,
    "ssm_state_size": 9,
    "mamba_d_conv": 3,
    "conv_kernel": 3,
    "conv_L_cache": 3,
    "mamba_dt_rank": 7,
    "n_mamba_heads": 2,
    "mamba_d_ssm": 96,
    "lru_width": 54,
    "conv1d_width": 3,
    "conv_kernel_size": 3,
    "q_lora_rank": 20,
    "kv_lora_rank": 24,
    "qk_rope_head_dim": 6,
    "qk_nope_head_dim": 10,
    "v_head_dim": 16,
    "index_n_heads": 4,
    "index_head_dim": 28,
    "index_kpool": 4,
    "index_topk": 16,
    "indexer_n_heads": 4,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 28,
    "indexer_budget": 16,
    "indexer_compress_ratio": 4,
    "hc_mult": 3,
    "hc_count": 3,
    "hc_lowrank": 13,
    "d_rel": 8,
    "rel_extent": 11,
    "swa_num_attention_heads": 9,
    "swa_num_key_value_heads": 3,
    "swa_head_dim": 12,
    "sliding_window": 16,
    "sliding_window_size": 16,
    "intermediate_size_mlp": 90,
    "dense_intermediate_size": 90,
    "prefix_dense_intermediate_size": 90,
    "num_dense_layers": 1,
    "router_hidden_size": 21,
    "cca_time0": 2,
    "cca_time1": 2,
    "o_groups": 2,
    "o_lora_rank": 18,
    "unpadded_vocab_size": 200,
    "hidden_size_per_layer_input": 11,
    "vocab_size_per_layer_input": 199,
    "laurel_rank": 5,
    "altup_num_inputs": 2,
    "ffn_hidden_size": 88,
    "expert_ffn_hidden_size": 34,
    "zero_expert_num": 2,
    "gated_norm_rank": 5,
    "adapter_rank": 5,
    "loop_gate_rank": 5,
    "ple_embed_dim": HIDDEN,
    "num_mem_blocks": 1,
    "heads_per_ngram": 2,
    "ngram_vocab_size_base": 50,
    "make_ngram_vocab_size_divisible_by": 2,
    "split_ngram_parts": 2,
}

# Layer plans, and constraints between sizes that a class insists on.
EXTRA: dict[str, dict[str, Any]] = {
    "bamba": {"attn_layer_indices": [3, 7, 11]},
    "granitemoehybrid": {"layer_types": ["mamba", "mamba", "attention", "mamba"] * 3},
    "lfm2": {"full_attn_idxs": [2, 5, 8, 11], "block_multiple_of": 4},
    "lfm2_moe": {"layer_types": ["conv", "conv", "full_attention"] * 4},
    "nemotron_h": {"layers_block_type": ["mamba", "moe", "attention", "mlp"] * 3},
    "zamba": {"attn_layer_period": 4, "attn_layer_offset": 2, "num_key_value_heads": HEADS},
    "zamba2": {
        "layers_block_type": ["mamba", "mamba", "hybrid"] * 4,
        "num_key_value_heads": HEADS,
        "use_shared_attention_adapter": False,
    },
    "jamba": {"attn_layer_period": 4, "attn_layer_offset": 2, "expert_layer_period": 2, "expert_layer_offset": 1},
    "qwen2_moe": {"mlp_only_layers": [0], "decoder_sparse_step": 2},
    "qwen3_moe": {"mlp_only_layers": [0], "decoder_sparse_step": 2},
    "qwen3_next": {"mlp_only_layers": [1, 3]},
    "llama4_text": {"interleave_moe_layer_step": 2},
    "ernie4_5_moe": {"moe_layer_start_index": 1, "moe_layer_end_index": 11, "moe_layer_interval": 2},
    "glm5_next": {"qk_rope_head_dim": 0, "num_key_value_heads": HEADS},
    "zaya": {"num_experts_per_tok": 1, "layer_types": ["hybrid", "hybrid_sliding"] * 6},
    "gemma3n_text": {"num_kv_shared_layers": 5},
    "gemma4_text": {"num_kv_shared_layers": 4, "attention_k_eq_v": False},
    "hrm_text": {"num_layers_per_stack": None, "num_hidden_layers": 3, "H_cycles": 2, "L_cycles": 3},
    "dory": {"n_input_layers": 4, "n_recurrent_layers": 4, "n_output_layers": 4},
    "inkling2_loop_text": {"loop_layer_index_start": 6, "loop_layer_index_end": 12, "num_hidden_layers": 18},
    "laguna": {"num_attention_heads_per_layer": [HEADS] * LAYERS},
    "qwen4_exp_text": {"ple_layer_ids": [1, 5], "eos_token_id": 1, "ple_embed_dim": HIDDEN},
    "cohere2_moe": {"first_k_dense_replace": 1, "num_shared_experts": 1},
    "glm_moe_dsa": {"index_topk_freq": 4, "index_skip_topk_offset": 2},
    "inkling_text": {"dense_mlp_idx": 2},
    "mellum": {
        "mlp_layer_types": ["dense"] * 2 + ["sparse"] * 10,
        "layer_types": ["full_attention", "sliding_attention"] * 6,
    },
    "falcon_h1": {"mamba_rms_norm": True},
    "bailing_hybrid": {"head_dim": SIZES["linear_head_dim"]},
}
_DERIVED = (
    "recurrent_gemma zamba zamba2 kimi_linear deepseek_v3 glm4_moe_lite axk1 axk2 hy_v4 glm5_next glm_moe_dsa "
    "longcat_flash deepseek_v2 jamba"
)
DERIVED_HEAD_DIM = frozenset(_DERIVED.split())

# Hybrids, experts in every layout, shared blocks, renumbered layers, dense models with fused or renamed projections.
_TYPES = (
    "llama gpt2 gpt_neox phi3 falcon bloom gemma2 olmo2 mpt opt "
    "qwen3_next jamba nemotron_h lfm2 kimi_linear qwen3_moe mixtral granitemoehybrid bamba falcon_h1 olmo_hybrid "
    "bailing_hybrid zamba zamba2 recurrent_gemma minimax qwen3_5_text qwen3_5_moe_text qwen4_exp_text lfm2_moe "
    "lfm3 dory hrm_text zaya inkling_text inkling2_text deepseek_v4 hy_v4 mimo_v2_flash glm_moe_dsa deepseek_v3 "
    "axk1 axk2 ernie4_5_moe llama4_text gpt_oss qwen2_moe laguna afmoe exaone_moe hy_v3 glm4_moe_lite cohere2_moe "
    "gemma3n_text gemma4_text lara_mini modernbert-decoder longcat_flash sarvam_moe mellum minimax_m2 olmo3"
)
TYPES = tuple(_TYPES.split())
# One of each mechanism: tied head, hybrid mixers, per-expert files, shared blocks, renumbered layers, fused halves.
FEW = ("llama", "gpt_neox", "qwen3_next", "mixtral", "nemotron_h", "zamba", "dory", "kimi_linear")


def config(model_type: str) -> Any:
    """A config with the sizes above."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    config_class = CONFIG_MAPPING[model_type]
    default = config_class()
    text = default.get_text_config()
    fields = set(text.to_dict()) | set(getattr(type(text), "__dataclass_fields__", None) or {})
    aliases = getattr(type(text), "attribute_map", None) or {}
    values = {name: size for name, size in SIZES.items() if name in fields and name not in aliases}
    if model_type in DERIVED_HEAD_DIM:
        values.pop("head_dim", None)
    if model_type != "nemotron_h":
        values |= dict.fromkeys(fields & {"num_hidden_layers", "num_layers", "n_layer", "n_layers"}, LAYERS)
    values |= {name: size for name, size in _OLD_NAMES.items() if name in fields}
    values |= EXTRA.get(model_type, {})
    for token in ("pad_token_id", "bos_token_id", "eos_token_id"):
        if token in fields:
            values.setdefault(token, 1)
    if text is default:
        return config_class(**values)
    part = next(name for name in default.sub_configs if getattr(default, name, None) is text)
    return config_class(**{part: type(text)(**values)})


# gpt2, bloom, mpt and falcon spell their sizes their own way.
_OLD_NAMES = {"n_embd": HIDDEN, "n_head": HEADS, "n_inner": 88, "n_positions": 64, "d_model": HIDDEN, "n_heads": HEADS}


def build(model_type: str) -> Any:
    """A real model of this type on CPU."""
    import transformers
    from transformers.models.auto import modeling_auto
    from transformers.utils import logging

    logging.disable_progress_bar()
    names = {
        **modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
        **modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    }
    name = names[model_type]
    return getattr(transformers, name[0] if isinstance(name, tuple | list) else name)(config(model_type))
