"""A layer plan as one letter a layer, and what the letters mean."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.config import LayerPlan

_LETTERS = {
    "full_attention": "F",
    "linear_attention": "L",
    "sliding_attention": "S",
    "chunked_attention": "K",
    "window_attention": "W",
    "indexed_attention": "I",
    "compressed_sparse_attention": "P",
    "heavily_compressed_attention": "Q",
    "minimax_m3_sparse": "Z",
    "cross_attention": "X",
    "conv": "C",
    "hybrid": "H",
    "hybrid_sliding": "h",
    "reference_sliding_attention": "R",
    "moe": "E",
    "mlp": "D",
    "dense": "D",
    "sparse": "E",
}


def letter(word: str | None) -> str:
    """One letter for a word of a layer plan; ``?`` for what is not known, ``!`` for a word outside the vocabulary."""
    return "?" if word is None else _LETTERS.get(word, "!")


def letters(plan: LayerPlan) -> str:
    """The strip, e.g. ``LLLF``."""
    return "".join(map(letter, plan.words))


def meaning(word: str | None) -> str:
    """The word in a legend."""
    return {"sparse": "experts"}.get(word or "", (word or "not known").replace("_", " "))


def legend(words: Iterable[str | None]) -> str:
    """``F full attention, L linear attention`` for the words that occur, in order of their letters."""
    known = {letter(word): meaning(word) for word in words}
    return ", ".join(f"{sign} {'not in the vocabulary' if sign == '!' else known[sign]}" for sign in sorted(known))
