"""Names that loading libraries ask for by name, whatever else a folder holds."""

from __future__ import annotations

SAFE, SAFE_INDEX = "model.safetensors", "model.safetensors.index.json"
TORCH, TORCH_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
WEIGHTS = (SAFE, SAFE_INDEX, TORCH, TORCH_INDEX)  # in the order of transformers
CONFIG = "config.json"
CONFIGS = (CONFIG, "generation_config.json", "adapter_config.json", "quantize_config.json")
TOKENIZERS = ("tokenizer_config.json", "added_tokens.json", "chat_template.json", "chat_template.jinja")
ADAPTER_CONFIG, ADAPTER_SAFE, ADAPTER_TORCH = "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"
ADAPTER = (ADAPTER_CONFIG, ADAPTER_SAFE, ADAPTER_TORCH)
KNOWN = (*WEIGHTS, *CONFIGS, *TOKENIZERS, ADAPTER_SAFE, ADAPTER_TORCH)
