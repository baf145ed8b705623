"""Namings of other tools, each told by a few names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct


class Dialect(Struct, frozen=True):
    """A naming that one look tells: `signs` must all be found among the stored names."""

    name: str
    signs: tuple[str, ...]
    fix: str


DIALECTS = (
    Dialect(
        "MLX, quantized", (r"\.scales\Z", r"\.biases\Z"), "convert with mlx_lm (dequantize), or load it with mlx-lm"
    ),
    Dialect("MLX", (r"\.switch_mlp\.",), "load it with mlx-lm, or convert it back"),
    Dialect("GGUF", (r"\Ablk\.\{\}\.", r"\Atoken_embd\.weight"), "load it with llama.cpp"),
    Dialect(
        "the original Llama / Mistral release",
        (r"layers\.\{\}\.attention\.wq\.", r"layers\.\{\}\.feed_forward\.w1\."),
        "convert with transformers' convert_llama_weights_to_hf (it also permutes q and k)",
    ),
    Dialect(
        "Megatron",
        (r"layers\.\{\}\.self_attention\.linear_qkv\.", r"\.mlp\.linear_fc1\."),
        "convert with the bridge of the training framework",
    ),
    Dialect(
        "a diffusion transformer",
        (r"(double|transformer)_blocks\.\{\}\.", r"single_(transformer_)?blocks\.\{\}\."),
        "load it with diffusers",
    ),
)


def dialect_of(templates: Sequence[str]) -> tuple[Dialect, list[str]] | None:
    """The first dialect of which every sign is among these names, with the names that show it."""
    if any(template.endswith((".qweight", ".weight_packed")) for template in templates):
        return None  # GPTQ and its relatives
    for dialect in DIALECTS:
        shown = [next((t for t in templates if re.search(sign, t)), None) for sign in dialect.signs]
        if all(shown):
            return dialect, [name for name in shown if name]
    return None
