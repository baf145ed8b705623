"""Regenerates layouts.jsonl: what `save_pretrained` writes for tiny models of many architectures.

Run by hand (`python -m tests.zoo.make_layouts`) when an architecture is added; needs torch and transformers. The
layouts are frozen data so that the rules' tests need neither. Sizes are distinct where the class allows it, so that
no two dimensions can be confused.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "critical")

from loadproof.core.families import fold

HERE = Path(__file__).parent
SIZES: dict[str, Any] = {
    "num_hidden_layers": 6,
    "hidden_size": 48,
    "intermediate_size": 72,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "head_dim": 14,
    "vocab_size": 160,
    "max_position_embeddings": 64,
    "moe_intermediate_size": 22,
    "shared_expert_intermediate_size": 26,
    "shared_intermediate_size": 26,
    "num_experts": 5,
    "num_local_experts": 5,
    "n_routed_experts": 5,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "n_group": 1,
    "topk_group": 1,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 6,
    "linear_key_head_dim": 10,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 3,
    "q_lora_rank": 20,
    "kv_lora_rank": 24,
    "qk_rope_head_dim": 6,
    "qk_nope_head_dim": 10,
    "v_head_dim": 16,
    "first_k_dense_replace": 1,
    "mamba_expand": 2,
    "expand": 2,
    "mamba_n_heads": 8,
    "mamba_num_heads": 8,
    "mamba_head_dim": 12,
    "mamba_d_head": 12,
    "mamba_headdim": 12,
    "mamba_n_groups": 2,
    "n_groups": 2,
    "mamba_ngroups": 2,
    "mamba_d_state": 9,
    "ssm_state_size": 9,
    "mamba_d_conv": 3,
    "conv_kernel": 3,
    "conv_L_cache": 3,
    "mamba_dt_rank": 7,
    "mamba_d_ssm": 96,
    "n_mamba_heads": 8,
    "block_size": 16,
    "lru_width": 54,
    "conv1d_width": 3,
    "sliding_window": 16,
    "attention_window_size": 16,
    "num_mem_blocks": 1,
    "adapter_rank": 5,
}
HEADS = SIZES["num_attention_heads"]
QWEN_VISION = {
    "depth": 2, "hidden_size": 24, "intermediate_size": 34, "num_heads": 2, "out_hidden_size": 48, "patch_size": 4,
    "spatial_merge_size": 2, "temporal_patch_size": 2, "num_position_embeddings": 16, "deepstack_visual_indexes": [0],
    "embed_dim": 24, "mlp_ratio": 2, "fullatt_block_indexes": [1], "window_size": 8, "in_channels": 3, "in_chans": 3,
}  # fmt: skip
SIGLIP = {
    "hidden_size": 24, "intermediate_size": 34, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 16,
    "patch_size": 4, "head_dim": 12,
}  # fmt: skip
ENCODER_DECODER = {
    "d_model": 48, "encoder_layers": 3, "decoder_layers": 3, "encoder_attention_heads": 6,
    "decoder_attention_heads": 6, "encoder_ffn_dim": 72, "decoder_ffn_dim": 72, "decoder_start_token_id": 1,
}  # fmt: skip
LINEAR, FULL = "linear_attention", "full_attention"

# layout name -> (model type, class, fields of the text stack, fields of the top level or nested configs)
SPECS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "llama": ("llama", "LlamaForCausalLM", {}, {}),
    "llama_tied": ("llama", "LlamaForCausalLM", {"tie_word_embeddings": True}, {}),
    "qwen2": ("qwen2", "Qwen2ForCausalLM", {}, {}),
    "qwen3": ("qwen3", "Qwen3ForCausalLM", {}, {}),
    "qwen3_tied": ("qwen3", "Qwen3ForCausalLM", {"tie_word_embeddings": True}, {}),
    "qwen3_moe": ("qwen3_moe", "Qwen3MoeForCausalLM", {"mlp_only_layers": [1]}, {}),
    "qwen3_next": ("qwen3_next", "Qwen3NextForCausalLM", {"num_hidden_layers": 8, "mlp_only_layers": [2]}, {}),
    "qwen3_5_text": ("qwen3_5_text", "Qwen3_5ForCausalLM", {"num_hidden_layers": 8}, {}),
    "qwen3_5": ("qwen3_5", "Qwen3_5ForConditionalGeneration", {"num_hidden_layers": 8}, {"vision_config": QWEN_VISION}),
    "mixtral": ("mixtral", "MixtralForCausalLM", {}, {}),
    "mistral": ("mistral", "MistralForCausalLM", {}, {}),
    "deepseek_v3": ("deepseek_v3", "DeepseekV3ForCausalLM", {"head_dim": None, "num_key_value_heads": HEADS}, {}),
    "lfm2_moe": (
        "lfm2_moe",
        "Lfm2MoeForCausalLM",
        {"layer_types": ["conv", FULL, "conv", "conv", FULL, "conv"], "num_dense_layers": 2, "head_dim": None},
        {},
    ),
    "ernie4_5_moe": (
        "ernie4_5_moe",
        "Ernie4_5_MoeForCausalLM",
        {"moe_layer_start_index": 1, "moe_layer_end_index": 4, "moe_layer_interval": 1, "moe_num_experts": 5},
        {},
    ),
    "llama4_text": (
        "llama4_text",
        "Llama4ForCausalLM",
        {"interleave_moe_layer_step": 2, "intermediate_size_mlp": 38},
        {},
    ),
    "exaone_moe": ("exaone_moe", "ExaoneMoeForCausalLM", {"mlp_layer_types": ["dense", "dense", *["sparse"] * 4]}, {}),
    "gemma2": ("gemma2", "Gemma2ForCausalLM", {}, {}),
    "gemma3_text": ("gemma3_text", "Gemma3ForCausalLM", {}, {}),
    "gemma3": ("gemma3", "Gemma3ForConditionalGeneration", {}, {"vision_config": SIGLIP, "mm_tokens_per_image": 4}),
    "qwen2_vl": (
        "qwen2_vl",
        "Qwen2VLForConditionalGeneration",
        {"head_dim": None},
        {"vision_config": {**QWEN_VISION, "hidden_size": 48}},
    ),
    "qwen3_vl": ("qwen3_vl", "Qwen3VLForConditionalGeneration", {}, {"vision_config": QWEN_VISION}),
    "kimi_linear": (
        "kimi_linear",
        "KimiLinearForCausalLM",
        {"head_dim": None, "num_key_value_heads": HEADS, "layer_types": [LINEAR, LINEAR, LINEAR, FULL, LINEAR, FULL]},
        {},
    ),
    "nemotron_h": (
        "nemotron_h",
        "NemotronHForCausalLM",
        {"layers_block_type": ["mamba", "mlp", "attention", "mlp", "mamba", "moe"]},
        {},
    ),
    "lfm2": (
        "lfm2",
        "Lfm2ForCausalLM",
        {"layer_types": ["conv", "conv", FULL, "conv", FULL, "conv"], "block_multiple_of": 4, "head_dim": None},
        {},
    ),
    "jamba": (
        "jamba",
        "JambaForCausalLM",
        {
            "num_hidden_layers": 8,
            "attn_layer_period": 4,
            "attn_layer_offset": 2,
            "expert_layer_period": 2,
            "expert_layer_offset": 1,
            "head_dim": None,
        },
        {},
    ),
    "bamba": ("bamba", "BambaForCausalLM", {"attn_layer_indices": [2, 5]}, {}),
    "granitemoehybrid": (
        "granitemoehybrid",
        "GraniteMoeHybridForCausalLM",
        {"layer_types": ["mamba", "mamba", "attention", "mamba", "mamba", "attention"]},
        {},
    ),
    "minimax": ("minimax", "MiniMaxForCausalLM", {}, {}),
    "recurrent_gemma": ("recurrent_gemma", "RecurrentGemmaForCausalLM", {"head_dim": None}, {}),
    "zamba": (
        "zamba",
        "ZambaForCausalLM",
        {"attn_layer_period": 3, "attn_layer_offset": 1, "num_key_value_heads": HEADS, "head_dim": None},
        {},
    ),
    "zamba2": (
        "zamba2",
        "Zamba2ForCausalLM",
        {
            "layers_block_type": ["mamba", "mamba", "hybrid"] * 2,
            "num_key_value_heads": HEADS,
            "head_dim": None,
            "hidden_size": 48,
            "use_shared_attention_adapter": False,
        },
        {},
    ),
    "falcon_h1": ("falcon_h1", "FalconH1ForCausalLM", {}, {}),
    "olmo_hybrid": ("olmo_hybrid", "OlmoHybridForCausalLM", {}, {}),
    "gpt_neox": ("gpt_neox", "GPTNeoXForCausalLM", {"head_dim": None}, {}),
    "gpt2": ("gpt2", "GPT2LMHeadModel", {"n_layer": 6, "n_embd": 48, "n_head": 6, "n_positions": 64}, {}),
    "phi3": ("phi3", "Phi3ForCausalLM", {"head_dim": None}, {}),
    "mistral3": ("mistral3", "Mistral3ForConditionalGeneration", {}, {"vision_config": SIGLIP}),
    "llava": ("llava", "LlavaForConditionalGeneration", {}, {"vision_config": SIGLIP}),
    "glm4_moe": ("glm4_moe", "Glm4MoeForCausalLM", {"num_nextn_predict_layers": 1}, {}),
    "bailing_hybrid": ("bailing_hybrid", "BailingHybridForCausalLM", {"head_dim": 10, "layer_group_size": 3}, {}),
    "gpt_oss": ("gpt_oss", "GptOssForCausalLM", {}, {}),
    "llama_reward": ("llama", "LlamaForSequenceClassification", {}, {}),
    "bart": ("bart", "BartForConditionalGeneration", ENCODER_DECODER, {}),
    "t5": (
        "t5",
        "T5ForConditionalGeneration",
        {"d_model": 48, "d_kv": 8, "d_ff": 72, "num_layers": 3, "num_heads": 6, "tie_word_embeddings": True},
        {},
    ),
}


def text_values(default: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    """The sizes that a text config knows, overlaid with what this layout asks for."""
    known = set(default.to_dict()) | set(getattr(type(default), "__dataclass_fields__", {}))
    aliases = getattr(type(default), "attribute_map", {}) or {}
    values = {field: value for field, value in SIZES.items() if field in known and field not in aliases}
    values.update({token: 1 for token in ("pad_token_id", "bos_token_id", "eos_token_id") if token in known})
    values.update(chosen)
    return {field: value for field, value in values.items() if value is not None}


def nested_values(default: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    known = set(default.to_dict())
    return {field: value for field, value in chosen.items() if field in known}


def make_config(model_type: str, text: dict[str, Any], top: dict[str, Any]) -> Any:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    config_class = CONFIG_MAPPING[model_type]
    default = config_class()
    default_text = default.get_text_config()
    if default_text is default:
        return config_class(**text_values(default, text))
    values: dict[str, Any] = {}
    for field, value in top.items():
        nested = getattr(default, field, None)
        if hasattr(nested, "to_dict"):
            values[field] = type(nested)(**nested_values(nested, value))
        else:
            values[field] = value
    field = next(name for name in default.sub_configs if getattr(default, name, None) is default_text)
    values[field] = type(default_text)(**text_values(default_text, text))
    return config_class(**values)


def read_header(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header: dict[str, Any] = json.loads(file.read(length))
    header.pop("__metadata__", None)
    return header


def layout(name: str) -> dict[str, Any]:
    """One line of layouts.jsonl. `families`: [template, axes, dtype, shape]."""
    import torch
    import transformers

    model_type, class_name, text, top = SPECS[name]
    torch.manual_seed(0)
    model = getattr(transformers, class_name)(make_config(model_type, text, top)).to(torch.bfloat16)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        header = read_header(Path(folder) / "model.safetensors")
        config = json.loads((Path(folder) / "config.json").read_text())
    config.pop("transformers_version", None)
    folded = fold((key, (entry["dtype"], tuple(entry["shape"]))) for key, entry in sorted(header.items()))
    families = [[template, axes, dtype, shape] for template, axes, (dtype, shape) in folded]
    return {"name": name, "class": class_name, "config": config, "families": families}


def main(names: list[str]) -> None:
    target = HERE / "layouts.jsonl"
    done = {line["name"]: line for line in map(json.loads, target.read_text().splitlines())} if target.exists() else {}
    for name in names or SPECS:
        try:
            done[name] = layout(name)
            print(name, sum(1 for _ in done[name]["families"]))
        except Exception as problem:
            print(f"{name}: {type(problem).__name__}: {problem}", file=sys.stderr)
    lines = [json.dumps(done[name]) for name in SPECS if name in done]
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
