"""What a name in an error text is, and which names on disk stand behind it."""

from __future__ import annotations

import re

from loadproof.core.families import split_name
from loadproof.lexicon.companions import LEAVES
from loadproof.lexicon.experts import PACKED
from loadproof.lexicon.mixers import RUNTIME_MODULE

Kind = str  # runtime-layer | fused | double-replaced | tensor | packed-experts | module | token-id | word

# Parameters of models that end so, beside the companions of quantized weights.
_OWN_LEAVES = frozenset(
    ["weight", "bias", "A_log", "D", "dt_bias", "e_score_correction_bias", "inv_freq", "sinks", "per_channel_scale"]
)
_LEAVES = LEAVES | _OWN_LEAVES
_RUNTIME = re.compile(RUNTIME_MODULE)
_FUSED = re.compile(
    r"w13_|w2_weight|w2_scale|\bqkv_proj\b|(?<!experts\.)\bgate_up_proj\b|in_proj_qkvz\b|in_proj_ba\b|fused_qkv_a_proj"
    r"|routed_experts|\bqkv\.(?:weight|bias)|\.A$|\bw13\b|\bgate_up\b|\bWqkv_proj\b"
)
_LAYER = re.compile(r"(?:^|[._])(?:layers|h|blk|blocks|layer|block)\.(\d+)(?=\.|$)")
_TENSOR_LIKE = re.compile(r"(?:[A-Za-z_][\w-]*|\d+|<[^>]*>)(?:\.(?:[\w-]+|<[^>]*>))+")
_FILE = re.compile(r"\.(?:py|json|bin|safetensors|pt|pth|gguf|so|md|txt|cpp|cu|h|hpp|model|index|distcp|yaml|log)$")
_PROSE = re.compile(
    r"^(?:torch|transformers|vllm|sglang|numpy|safetensors|accelerate|deepspeed|peft|aten|http|www|"
    r"huggingface|e\.g|i\.e|trl|ray|mlx|pydantic|pydantic_core|os|sys|json|self)\."
)


def classify(name: str) -> Kind:
    """The kind of a KeyError key or another name of an error text."""
    text = name.strip("'\"` ")
    if re.fullmatch(r"-?\d+", text):
        return "token-id"
    if "gate_gate_up_proj" in text:
        return "double-replaced"
    if "." not in text:
        return "word"
    last = text.rsplit(".", 1)[1]
    if _FUSED.search(text):
        return "fused"
    if last in _LEAVES or last.endswith(("_scale", "_scale_inv", "_bias", "_blocks", "_scales")):
        return "tensor"
    if re.search(PACKED, text):
        return "packed-experts"
    if _RUNTIME.search(text):
        return "runtime-layer"
    return "module"


def layer_of(name: str) -> int | None:
    """The decoder layer a name belongs to."""
    found = _LAYER.search(name)
    return int(found[1]) if found else None


def looks_like_name(text: str) -> bool:
    """Whether a word is a dotted tensor or module name, not a file, a class path or prose."""
    return bool(_TENSOR_LIKE.fullmatch(text)) and not _FILE.search(text) and not _PROSE.match(text)


_SPLITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bexperts\.routed_experts\b", ("experts",)),
    (
        r"\bexperts\.w13_(?:weight|\w+)",
        ("experts.{}.gate_proj.weight", "experts.{}.up_proj.weight", "experts.gate_up_proj"),
    ),
    (r"\bexperts\.w2_(?:weight|\w+)", ("experts.{}.down_proj.weight", "experts.down_proj")),
    (r"\bqkv_proj\b", ("q_proj", "k_proj", "v_proj")),
    (r"\bfused_qkv_a_proj(?:_with_mqa)?\b", ("q_a_proj", "kv_a_proj_with_mqa")),
    (r"(?<!experts\.)\bgate_up_proj\b", ("gate_proj", "up_proj")),
    (r"\bin_proj_qkvz\b", ("in_proj_qkvz", "in_proj_qkv", "in_proj_z")),
    (r"\bin_proj_ba\b", ("in_proj_ba", "in_proj_b", "in_proj_a")),
    (r"\.A$", (".A_log",)),
)  # fmt: skip


def on_disk(name: str) -> tuple[str, ...]:
    """Names that the checkpoint may hold for a name of an engine: fused ones split, stripped prefixes put back.

    ``layers.0.self_attn.qkv_proj.weight`` -> ``model.layers.0.self_attn.q_proj.weight``, ...; experts have ``{}``
    for their index. The name itself comes first when nothing needs translating.
    """
    names = [name]
    for pattern, parts in _SPLITS:
        names = [re.sub(pattern, part, one) for one in names for part in parts] if re.search(pattern, name) else names
    return tuple(dict.fromkeys(full for one in names for full in _with_prefix(one)))


def _with_prefix(name: str) -> tuple[str, ...]:
    if name.startswith("language_model.model."):
        return ("model.language_model." + name[len("language_model.model.") :], name)
    if name.startswith("language_model."):
        return ("model." + name, name)
    if name.startswith(("layers.", "embed_tokens.", "norm.")):
        return ("model." + name, "model.language_model." + name)
    return (name,)


def related(name: str, template: str) -> bool:
    """Whether a stored template holds the name, its disk names, or (for a bare word) that word as a segment."""
    if "." not in name:
        return name in template.split(".")
    return same_place(name, template) or split_name(name)[0] in template


def same_place(name: str, template: str) -> bool:
    """Whether a stored template (or name) is the disk name of `name`, whatever outer prefix it has."""
    stored = split_name(template)[0]
    return any(_tail(split_name(one)[0], stored) for one in on_disk(name))


def _tail(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long == short or long.endswith("." + short)
