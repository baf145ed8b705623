"""Spellings with one entry per layer: words, numbers, letters, and patterns that repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadproof.config.plan.codec import Codec, Fields, Said, Words
from loadproof.config.plan.words import FULL, LINEAR, SLIDING, canonical, kind

_SIGNS = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}
_SIGN_OF = {"attention": "*", "recurrent": "M", "dense block": "-", "expert block": "E"}
_RATIOS = {0: SLIDING, 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


class WordList(Codec, frozen=True):
    """``["linear_attention", "full_attention", ...]``."""

    def words(self, said: Said) -> Words | None:
        return tuple(map(canonical, said.value)) if isinstance(said.value, list) else None

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        """In the words that the list uses itself; an entry of the right kind stays as it is."""
        old = said.value if isinstance(said.value, list) else []
        return {self.name: [_entry(old, layer, word) for layer, word in enumerate(words)]}

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        if not isinstance(value, list):
            return value
        if depth <= len(value):
            return value[:depth]
        attention = {word for word in value if isinstance(word, str) and word.endswith("attention")}
        if len(set(map(str, value))) == 1:
            return value + value[-1:] * (depth - len(value))
        if SLIDING in attention or len(more) != depth - len(value) or None in more:
            return None  # sliding and full attention store the same tensors
        return [*value, *more]


def _entry(old: Sequence[Any], layer: int, word: str | None) -> str:
    if layer < len(old) and isinstance(old[layer], str) and (not word or kind(canonical(old[layer])) == kind(word)):
        return str(old[layer])
    own = next((own for own in old if isinstance(own, str) and word and kind(canonical(own)) == kind(word)), None)
    return own or word or FULL


class Letters(Codec, frozen=True):
    """``MEM*|M-/*E``: a bar marks pipeline cuts, what follows a slash belongs to the prediction heads."""

    def words(self, said: Said) -> Words | None:
        return tuple(_SIGNS[letter] for letter in _decoder(said.value))

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        kinds = [kind(word) for word in words]
        return {self.name: "".join(_SIGN_OF[k] for k in kinds if k)} if all(k in _SIGN_OF for k in kinds) else None

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        letters = _decoder(str(value))
        return letters[:depth] if depth <= len(letters) else None


def _decoder(pattern: str) -> str:
    return pattern.split("/")[0].replace("|", "")


class Repeated(Codec, frozen=True):
    """``["recurrent", "recurrent", "attention"]``, repeated to the depth (recurrent_gemma)."""

    def words(self, said: Said) -> Words | None:
        words = [LINEAR if word == "recurrent" else SLIDING for word in said.value]
        return tuple(words[layer % len(words)] for layer in range(said.depth)) if said.depth else None

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        own = ["attention" if kind(word) == "attention" else "recurrent" for word in words]
        return {self.name: _shortest(own)}


def _shortest(words: list[str]) -> list[str]:
    """The shortest pattern that repeats to these words."""
    borders: list[int] = []  # per layer: the length of the longest beginning that also ends here
    for layer, word in enumerate(words):
        length = borders[layer - 1] if layer else 0
        while length and words[length] != word:
            length = borders[length - 1]
        borders.append(length + 1 if layer and words[length] == word else 0)
    return words[: len(words) - borders[-1]] if words else words


class Numbers(Codec, frozen=True):
    """0 linear, 1 full (MiniMax)."""

    def words(self, said: Said) -> Words | None:
        return tuple({0: LINEAR, 1: FULL}[number] for number in said.value)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        return {self.name: [1 if kind(word) == "attention" else 0 for word in words]}

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        return value[:depth] if isinstance(value, list) and depth <= len(value) else None


class Ratios(Codec, frozen=True):
    """Compression of each layer (deepseek_v4, older spelling); the class cuts the list to the depth."""

    def words(self, said: Said) -> Words | None:
        return tuple(_RATIOS.get(ratio) for ratio in said.value[: said.depth or len(said.value)])


class Window(Codec, frozen=True):
    """An interval, or letters such as ``LLLG`` that repeat: sliding against full attention, which store the same."""

    def words(self, said: Said) -> Words | None:
        if isinstance(said.value, str):
            letters = said.value
            return tuple(SLIDING if letters[layer % len(letters)] == "L" else FULL for layer in range(said.depth or 0))
        return said.every(said.value, FULL, SLIDING)


class WindowFrom(Codec, frozen=True):
    """Sliding attention from this layer on, where windows are used at all."""

    def words(self, said: Said) -> Words | None:
        if not said.fields.get("use_sliding_window") or not said.fields.get("sliding_window"):
            return None
        return said.at(range(said.value, said.depth or 0), SLIDING, FULL)


__all__ = ["Letters", "Numbers", "Ratios", "Repeated", "Window", "WindowFrom", "WordList"]
