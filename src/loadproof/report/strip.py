"""A layer plan as one letter a layer."""

from __future__ import annotations

from loadproof.types import LayerPlan

_LETTERS = {
    "full_attention": "F", "attention": "F", "linear_attention": "L", "sliding_attention": "S", "mamba": "M",
    "mamba2": "M", "conv": "C", "recurrent": "R", "hybrid": "H", "moe": "E", "mlp": "-", "chunked_attention": "K",
}  # fmt: skip


def letter(word: str | None) -> str:
    """One letter for a word of a layer plan; ``?`` for what is not known."""
    if not word:
        return "?"
    return _LETTERS.get(word, word[0].upper() if word[0].isalpha() else "?")


def letters(plan: LayerPlan) -> str:
    """The strip, e.g. ``LLLF``."""
    return "".join(map(letter, plan.words))
