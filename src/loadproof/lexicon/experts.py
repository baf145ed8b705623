"""Mixtures of experts: how experts and routers are called, one by one and packed.

Per expert as the releases of Mixtral, Qwen and DeepSeek store them; packed as transformers 5.24 builds them
(`conversion_mapping.py`); `w13_weight` and `w2_weight` as vLLM and SGLang hold them.
"""

from __future__ import annotations

from loadproof.lexicon.words import any_of

MODULES = ("experts", "block_sparse_moe")  # `block_sparse_moe`: modeling_mixtral.py
LETTERS = {"w1": "gate_proj", "w3": "up_proj", "w2": "down_proj"}  # Mixtral's spelling of a projection
SPELLED = {word: letter for letter, word in LETTERS.items()}
# A packed parameter, and the projections of each expert that it joins, in this order.
PACKS = {"gate_up_proj": ("gate_proj", "up_proj"), "down_proj": ("down_proj",)}
_NUMBER = r"(?:\d{1,9}|\{[^}]{0,60}\}|<[^>]{0,60}>)"  # of an expert, as templates and error texts write it
EXPERT = r"\.experts?\."
ONE_BY_ONE = r"\.experts\.\{\}\."  # in a template
CITED_ONE_BY_ONE = rf"experts\.{_NUMBER}\."
PACKED = rf"experts\.(?:{any_of((*PACKS, 'gate_proj', 'up_proj'))})(?:$|_)"
PROJECTION_FIRST = r"\.experts\.([A-Za-z_][A-Za-z_0-9]*)\.\{\}\."
ROUTER = r"\.(?:gate|router)\.(?:weight|bias|linear|e_score)"


def is_of_expert(template: str) -> bool:
    """Whether a name lies in the experts of a layer."""
    return ".experts" in template
