"""Tiny models of several parts: vision or audio towers beside a text model, encoders beside decoders, encoders alone.

Every part of the default config is shrunk field by field, so that the parts keep their own kinds.
"""

from __future__ import annotations

from typing import Any

from tests.differential import tiny_models

LAYERS, HIDDEN, HEADS = 3, tiny_models.HIDDEN, tiny_models.HEADS
_ENCODER_DECODER = {
    **dict.fromkeys(
        ("num_hidden_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers"), LAYERS
    ),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads", "num_heads"), HEADS),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "d_ff"), 88),
    "d_model": HIDDEN,
    "d_kv": 14,
    "max_source_positions": 32,
    "max_target_positions": 32,
    "image_token_id": 5,
}
_TOWER = {
    "depth": LAYERS,
    "out_hidden_size": HIDDEN,
    "embed_dim": HIDDEN,
    "projection_dim": HIDDEN,
    "image_size": 16,
    "patch_size": 4,
    "temporal_patch_size": 2,
    "intermediate_size": 90,
    "num_position_embeddings": 16,
    "deepstack_visual_indexes": [1, 2],
    "fullatt_block_indexes": [1],
}
TYPES = (
    *("qwen3_vl", "t5", "qwen2_5_vl", "gemma3", "llava", "mistral3", "paligemma", "bart", "bert", "internvl", "glm4v"),
    *("aya_vision", "qwen3_5", "idefics3", "smolvlm", "mllama", "got_ocr2", "blip-2", "whisper", "mt5", "roberta"),
    *("modernbert", "deberta-v2", "qwen2_vl", "qwen3_vl_moe", "llava_next", "t5gemma", "lfm2_vl", "deepseek_vl"),
)
FEW = ("qwen3_vl", "t5")


def build(model_type: str) -> Any:
    """A real model of this type on CPU."""
    import transformers
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    from transformers.utils import logging

    logging.disable_progress_bar()
    names = {
        **modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        **modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        **modeling_auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
        **modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    }
    name = names[model_type]
    config_class = CONFIG_MAPPING[model_type]
    config = config_class(**_shrunk(config_class(), is_tower=False))
    return getattr(transformers, name[0] if isinstance(name, tuple | list) else name)(config)


def _shrunk(config: Any, is_tower: bool) -> dict[str, Any]:
    """Small values for the fields that this part has, and for the parts below it."""
    fields = set(config.to_dict()) | set(getattr(type(config), "__dataclass_fields__", None) or {})
    aliases = getattr(type(config), "attribute_map", None) or {}
    sizes = {**tiny_models.SIZES, **_ENCODER_DECODER, **(_TOWER if is_tower else {})}
    values = {name: size for name, size in sizes.items() if name in fields and name not in aliases}
    for token in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        if token in fields:
            values.setdefault(token, 1)
    for part in getattr(type(config), "sub_configs", None) or {}:
        below = getattr(config, part, None)
        if below is not None and not isinstance(below, dict):
            values[part] = _shrunk(below, is_tower=part != "text_config")
    return values
