"""Fields that went by several names, and where to find the one that a file uses.

Canonical name first. Sources: the ``attribute_map`` of transformers' config classes, and the renames of its release 5
(``dtype``, ``rope_parameters``).
"""

from __future__ import annotations

from typing import Any

SPELLINGS: dict[str, tuple[str, ...]] = {
    "num_hidden_layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model", "dim", "model_dim"),
    "intermediate_size": ("intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size"),
    "num_attention_heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "num_key_value_heads": ("num_key_value_heads", "multi_query_group_num", "num_kv_heads", "n_head_kv"),
    "head_dim": ("head_dim", "attention_head_dim", "kv_channels"),
    "vocab_size": ("vocab_size", "padded_vocab_size"),
    "num_experts": ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"),
    "moe_intermediate_size": ("moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size"),
    "dtype": ("dtype", "torch_dtype"),
    "rope_parameters": ("rope_parameters", "rope_scaling"),
    "rope_theta": ("rope_theta", "rotary_emb_base", "rope_base"),
    "layer_types": ("layer_types", "layers_block_type"),
    "tie_word_embeddings": ("tie_word_embeddings", "tie_embeddings"),
    "quantization_config": ("quantization_config", "compression_config"),
    "num_nextn_predict_layers": ("num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_num_layers"),
}
CANONICAL = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}


def spelled(fields: dict[str, Any], name: str) -> str | None:
    """The key under which `fields` holds the canonical field `name`, None if it holds none."""
    return next((key for key in SPELLINGS.get(name, (name,)) if key in fields), None)


def value_of(fields: dict[str, Any], name: str, default: Any = None) -> Any:
    """The value of a canonical field, whatever it is called in `fields`."""
    key = spelled(fields, name)
    return default if key is None else fields[key]
