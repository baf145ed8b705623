"""Methods of PEFT and their settings: name -> (configuration class, fields) for the modules of a base."""

from __future__ import annotations

from typing import Any

from tests.differential.adapters.bases import Words

Method = tuple[str, dict[str, Any]]


def lora(words: Words) -> dict[str, Method]:
    """Forms of LoRA."""
    att, one, emb, head = list(words.attention), words.feed_forward, words.embedding, words.head
    forms: dict[str, dict[str, Any]] = {
        "lora": {"target_modules": att},
        "lora_all": {"target_modules": "all-linear"},
        "lora_regex": {"target_modules": r".*\.(" + "|".join(att) + ")$"},
        "lora_mlp": {"target_modules": [*att, one]},
        "lora_layers": {"target_modules": att, "layers_to_transform": [0, 2]},
        "lora_exclude": {"target_modules": att, "exclude_modules": r".*\.0\..*"},
        "lora_ranks": {"target_modules": att, "rank_pattern": {att[0]: 2}, "alpha_pattern": {att[0]: 32}},
        "lora_save": {"target_modules": att, "modules_to_save": [head]},
        "lora_save_both": {"target_modules": att, "modules_to_save": [emb, head]},
        "lora_embedding": {"target_modules": [*att, emb]},
        "lora_head": {"target_modules": [*att, head]},
        "lora_tokens": {"target_modules": att, "trainable_token_indices": [3, 5, 7]},
        "lora_bias": {"target_modules": att, "lora_bias": True},
        "lora_biases": {"target_modules": att, "bias": "all"},
        "lora_experts": {
            "target_modules": att,
            "target_parameters": ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"],
        },
        "lora_replicated": {"target_modules": att, "layer_replication": [[0, 2], [1, 3]]},
        "lora_pissa": {"target_modules": att, "init_lora_weights": "pissa"},
        "dora": {"target_modules": att, "use_dora": True},
        "dora_all": {"target_modules": "all-linear", "use_dora": True},
        "rslora": {"target_modules": att, "use_rslora": True},
    }
    return {name: ("LoraConfig", {"r": 4, **fields}) for name, fields in forms.items()}


def others(words: Words) -> dict[str, Method]:
    """The other methods."""
    att, one, emb = list(words.attention), words.feed_forward, words.embedding
    return {
        "ia3": ("IA3Config", {"target_modules": [*att, one], "feedforward_modules": [one]}),
        "loha": ("LoHaConfig", {"target_modules": att, "r": 4}),
        "lokr": ("LoKrConfig", {"target_modules": att, "r": 4}),
        "oft": ("OFTConfig", {"target_modules": att, "oft_block_size": 4}),
        "boft": ("BOFTConfig", {"target_modules": att, "boft_block_size": 4, "boft_n_butterfly_factor": 2}),
        "vera": ("VeraConfig", {"target_modules": att[:1], "r": 8}),
        "vera_seed": ("VeraConfig", {"target_modules": att[:1], "r": 8, "save_projection": False}),
        "adalora": ("AdaLoraConfig", {"target_modules": att, "init_r": 6, "target_r": 4, "total_step": 100}),
        "layer_norms": ("LNTuningConfig", {"target_modules": ["norm"]}),
        "fourier": ("FourierFTConfig", {"target_modules": att, "n_frequency": 10}),
        "hra": ("HRAConfig", {"target_modules": att, "r": 4}),
        "c3a": ("C3AConfig", {"target_modules": att, "block_size": 8}),
        "randlora": ("RandLoraConfig", {"target_modules": att[:1], "r": 4}),
        "vblora": ("VBLoRAConfig", {"target_modules": att, "r": 2, "num_vectors": 8, "vector_length": 8}),
        "shira": ("ShiraConfig", {"target_modules": att, "r": 2}),
        "road": ("RoadConfig", {"target_modules": att, "group_size": 8}),
        "miss": ("MissConfig", {"target_modules": att, "r": 4}),
        "delora": ("DeloraConfig", {"target_modules": att, "r": 4}),
        "tokens": ("TrainableTokensConfig", {"target_modules": [emb], "token_indices": [2, 4]}),
        "prompt": ("PromptTuningConfig", {"num_virtual_tokens": 5}),
        "prefix": ("PrefixTuningConfig", {"num_virtual_tokens": 5}),
        "p_tuning": ("PromptEncoderConfig", {"num_virtual_tokens": 5, "encoder_hidden_size": 16}),
        "adaption": ("AdaptionPromptConfig", {"adapter_len": 4, "adapter_layers": 2}),
    }


def methods(words: Words) -> dict[str, Method]:
    return lora(words) | others(words)
