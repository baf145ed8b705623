"""The vocabulary of layer plans: canonical words, and which of them stand for the same tensors."""

from __future__ import annotations

LINEAR, FULL, SLIDING, CONV = "linear_attention", "full_attention", "sliding_attention", "conv"
DENSE, SPARSE = "dense", "sparse"  # the feed-forward part

# Spellings that mean a canonical word. The first five are remapped by transformers itself
# (configuration_utils.py:94-99, 5.24); the others are words of older or remote-code configs.
_SYNONYMS = {
    "mamba": "linear_attention",
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
    "mamba2": "linear_attention",
    "recurrent": "linear_attention",
    "kda": "linear_attention",
    "short_conv": "conv",
}

# Words that create the same kind of tensors. Sliding and full attention cannot be told apart by what is stored.
_KINDS = {
    "linear_attention": "recurrent",
    "conv": "convolution",
    "hybrid": "hybrid",
    "hybrid_sliding": "hybrid",
    "mlp": "dense block",
    "dense": "dense block",
    "moe": "expert block",
    "sparse": "expert block",
    "hash_moe": "expert block",
    "cross_attention": "cross attention",
}
_ATTENTION = ("full_attention", "sliding_attention", "indexed_attention", "minimax_m3_sparse")


def canonical(word: object) -> str | None:
    """The word as transformers uses it; None for what is not a word."""
    return _SYNONYMS.get(word, word) if isinstance(word, str) and word else None


def kind(word: str | None) -> str | None:
    """What the word builds: ``attention``, ``recurrent``, ``convolution``, ... ; None for an unknown word."""
    if word is None:
        return None
    word = _SYNONYMS.get(word, word)
    return (
        "attention" if word in _ATTENTION or (word.endswith("_attention") and word not in _KINDS) else _KINDS.get(word)
    )


def contradict(first: str | None, second: str | None) -> bool:
    """Whether no layer can be both. Unknown words never do; nor "hybrid" and plain attention (zaya, inkling)."""
    a, b = kind(first), kind(second)
    return None not in (a, b) and a != b and {a, b} != {"hybrid", "attention"}


def spoken(word: str | None) -> str:
    """The word in a sentence: ``linear attention``."""
    return (word or "nothing known").replace("_", " ")
