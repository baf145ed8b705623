#!/usr/bin/env python3
"""Write the example checkpoints of this folder: real headers, small random weights, one known fault each.

usage: python make_examples.py [FOLDER]      (standard library only; the same bytes on every run)
"""

from __future__ import annotations

import json
import random
import struct
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

Shapes = dict[str, tuple[int, ...]]
Config = dict[str, Any]


def write_safetensors(path: Path, shapes: Shapes, seed: int) -> int:
    """One safetensors file of BF16 noise, scaled as a fresh model would be; returns its payload bytes."""
    numbers = random.Random(seed)
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = bytearray()
    for name, shape in shapes.items():
        begin = len(data)
        for _ in range(prod(shape)):
            data += struct.pack("<f", numbers.gauss(0.0, 0.02))[2:]  # the upper half of a float32 is its bfloat16
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))
    return len(data)


def write_checkpoint(folder: Path, config: Config, shapes: Shapes, shards: int = 1) -> None:
    """config.json and the weights, as one file or as shards with an index."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if shards == 1:
        write_safetensors(folder / "model.safetensors", shapes, seed=0)
        return
    names = list(shapes)
    weight_map: dict[str, str] = {}
    total = 0
    for number in range(shards):
        file = f"model-{number + 1:05d}-of-{shards:05d}.safetensors"
        mine = names[len(names) * number // shards : len(names) * (number + 1) // shards]
        total += write_safetensors(folder / file, {name: shapes[name] for name in mine}, seed=number)
        weight_map |= dict.fromkeys(mine, file)
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


# ---------------------------------------------------------------- a small Llama
LLAMA: Config = {
    "architectures": ["LlamaForCausalLM"],
    "bos_token_id": 1,
    "dtype": "bfloat16",
    "eos_token_id": 2,
    "head_dim": 8,
    "hidden_act": "silu",
    "hidden_size": 32,
    "intermediate_size": 64,
    "max_position_embeddings": 512,
    "model_type": "llama",
    "num_attention_heads": 4,
    "num_hidden_layers": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-06,
    "tie_word_embeddings": False,
    "vocab_size": 256,
}


def llama_shapes() -> Shapes:
    """What LlamaForCausalLM creates for `LLAMA`."""
    shapes: Shapes = {"model.embed_tokens.weight": (256, 32)}
    for layer in range(4):
        at = f"model.layers.{layer}."
        shapes |= {f"{at}input_layernorm.weight": (32,), f"{at}post_attention_layernorm.weight": (32,)}
        shapes |= {f"{at}self_attn.{name}_proj.weight": (32, 32) for name in "qo"}
        shapes |= {f"{at}self_attn.{name}_proj.weight": (16, 32) for name in "kv"}
        shapes |= {f"{at}mlp.{name}_proj.weight": (64, 32) for name in ("gate", "up")}
        shapes[f"{at}mlp.down_proj.weight"] = (32, 64)
    return shapes | {"model.norm.weight": (32,), "lm_head.weight": (256, 32)}


# ---------------------------------------------------------------- a small Qwen3.5 with a vision tower
def qwen_config(plan: str) -> Config:
    """`plan` holds one letter a layer: L linear attention, F full attention."""
    words = {"L": "linear_attention", "F": "full_attention"}
    text = {
        "dtype": "bfloat16",
        "head_dim": 8,
        "hidden_act": "silu",
        "hidden_size": 16,
        "intermediate_size": 32,
        "layer_types": [words[letter] for letter in plan],
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 2,
        "linear_value_head_dim": 8,
        "max_position_embeddings": 512,
        "model_type": "qwen3_5_text",
        "num_attention_heads": 2,
        "num_hidden_layers": len(plan),
        "num_key_value_heads": 1,
        "rms_norm_eps": 1e-06,
        "vocab_size": 64,
    }
    vision = {
        "depth": 1,
        "hidden_size": 16,
        "intermediate_size": 32,
        "model_type": "qwen3_5_vision",
        "num_heads": 2,
        "num_position_embeddings": 16,
        "out_hidden_size": 16,
        "patch_size": 4,
    }
    return {
        "architectures": ["Qwen3_5ForConditionalGeneration"],
        "dtype": "bfloat16",
        "model_type": "qwen3_5",
        "text_config": text,
        "tie_word_embeddings": False,
        "vision_config": vision,
    }


def qwen_shapes(plan: str) -> Shapes:
    """What Qwen3_5ForConditionalGeneration creates for `qwen_config(plan)`."""
    shapes: Shapes = {"model.language_model.embed_tokens.weight": (64, 16)}
    for layer, letter in enumerate(plan):
        at = f"model.language_model.layers.{layer}."
        shapes |= {at + name: shape for name, shape in (LINEAR if letter == "L" else FULL).items()}
        shapes |= {f"{at}mlp.{name}_proj.weight": (32, 16) for name in ("gate", "up")}
        shapes[f"{at}mlp.down_proj.weight"] = (16, 32)
        shapes |= {f"{at}input_layernorm.weight": (16,), f"{at}post_attention_layernorm.weight": (16,)}
    shapes["model.language_model.norm.weight"] = (16,)
    shapes |= {f"model.visual.{name}": shape for name, shape in VISION.items()}
    return shapes | {"lm_head.weight": (64, 16)}


LINEAR: Shapes = {
    "linear_attn.dt_bias": (2,),
    "linear_attn.A_log": (2,),
    "linear_attn.conv1d.weight": (48, 1, 4),
    "linear_attn.norm.weight": (8,),
    "linear_attn.out_proj.weight": (16, 16),
    "linear_attn.in_proj_qkv.weight": (48, 16),
    "linear_attn.in_proj_z.weight": (16, 16),
    "linear_attn.in_proj_b.weight": (2, 16),
    "linear_attn.in_proj_a.weight": (2, 16),
}
FULL: Shapes = {
    "self_attn.q_proj.weight": (32, 16),
    "self_attn.k_proj.weight": (8, 16),
    "self_attn.v_proj.weight": (8, 16),
    "self_attn.o_proj.weight": (16, 16),
    "self_attn.q_norm.weight": (8,),
    "self_attn.k_norm.weight": (8,),
}
VISION: Shapes = {
    "patch_embed.proj.weight": (16, 3, 2, 4, 4),
    "patch_embed.proj.bias": (16,),
    "pos_embed.weight": (16, 16),
    "blocks.0.norm1.weight": (16,),
    "blocks.0.norm1.bias": (16,),
    "blocks.0.norm2.weight": (16,),
    "blocks.0.norm2.bias": (16,),
    "blocks.0.attn.qkv.weight": (48, 16),
    "blocks.0.attn.qkv.bias": (48,),
    "blocks.0.attn.proj.weight": (16, 16),
    "blocks.0.attn.proj.bias": (16,),
    "blocks.0.mlp.linear_fc1.weight": (32, 16),
    "blocks.0.mlp.linear_fc1.bias": (32,),
    "blocks.0.mlp.linear_fc2.weight": (16, 32),
    "blocks.0.mlp.linear_fc2.bias": (16,),
    "merger.norm.weight": (16,),
    "merger.norm.bias": (16,),
    "merger.linear_fc1.weight": (64, 64),
    "merger.linear_fc1.bias": (64,),
    "merger.linear_fc2.weight": (16, 64),
    "merger.linear_fc2.bias": (16,),
}


# ---------------------------------------------------------------- the examples
def healthy(folder: Path) -> None:
    """Nothing is wrong."""
    write_checkpoint(folder, LLAMA, llama_shapes())


def layer_plan_mismatch(folder: Path) -> None:
    """config.json calls layer 20 linear attention, its tensors are full attention."""
    stored = "LLLF" * 5 + "FLLF"
    write_checkpoint(folder, qwen_config("LLLF" * 6), qwen_shapes(stored), shards=12)


def head_flattened(folder: Path) -> None:
    """A merge script wrote the output head as one long vector."""
    shapes = llama_shapes() | {"lm_head.weight": (256 * 32,)}
    write_checkpoint(folder, LLAMA, shapes)


def wrapper_prefix(folder: Path) -> None:
    """Saved from a DistributedDataParallel wrapper: every name starts with ``module.``."""
    write_checkpoint(folder, LLAMA, {f"module.{name}": shape for name, shape in llama_shapes().items()})


def config_dims_wrong(folder: Path) -> None:
    """config.json was copied from a sister model with twice the key/value heads."""
    write_checkpoint(folder, LLAMA | {"num_key_value_heads": 4}, llama_shapes(), shards=2)


EXAMPLES: dict[str, Callable[[Path], None]] = {
    "healthy": healthy,
    "layer-plan-mismatch": layer_plan_mismatch,
    "head-flattened": head_flattened,
    "wrapper-prefix": wrapper_prefix,
    "config-dims-wrong": config_dims_wrong,
}


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, write in EXAMPLES.items():
        write(root / name)


if __name__ == "__main__":
    main()
