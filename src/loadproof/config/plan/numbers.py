"""Spellings by layer numbers and by rhythm: lists of layers, and every n-th layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadproof.config.plan.codec import Codec, Fields, Said, Words, is_count
from loadproof.config.plan.words import FULL, LINEAR, kind


class LayerList(Codec, frozen=True):
    """A list of layers, counted from 0, that hold `word`; all others hold `other`."""

    word: str
    other: str

    def words(self, said: Said) -> Words | None:
        return said.at(said.value, self.word, self.other)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        return {self.name: [layer for layer, word in enumerate(words) if kind(word) == kind(self.word)]}

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        return [number for number in value if number < depth] if _are_numbers(value) else value

    def numbered(self, value: Any) -> dict[tuple[str, ...], list[int]]:
        return {(): value} if _are_numbers(value) and value else {}


class TwoLists(Codec, frozen=True):
    """``{"full_attn_layers": [...], "kda_layers": [...]}``, both counted from 1 (kimi_linear)."""

    @property
    def first(self) -> int:
        return 1

    def words(self, said: Said) -> Words | None:
        full, linear = said.value.get("full_attn_layers") or [], said.value.get("kda_layers") or []
        words: list[str | None] = [None] * (said.depth or len(full) + len(linear))
        for numbers, word in ((full, FULL), (linear, LINEAR)):
            for number in numbers:
                words[number - 1] = word  # 0 writes the last layer, as the class does
        return tuple(words) if full or linear else None

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        if not isinstance(said.value, dict):
            return None
        full = [layer + 1 for layer, word in enumerate(words) if kind(word) == "attention"]
        rest = sorted(set(range(1, len(words) + 1)) - set(full))
        return {self.name: {**said.value, "full_attn_layers": full, "kda_layers": rest}}

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        return {k: [n for n in v if n <= depth] if isinstance(v, list) else v for k, v in value.items()}

    def numbered(self, value: Any) -> dict[tuple[str, ...], list[int]]:
        names = ("full_attn_layers", "kda_layers")
        return {(name,): value[name] for name in names if _are_numbers(value.get(name)) and value[name]}


class Every(Codec, frozen=True):
    """The last layer of every group of n is full attention, the rest linear."""

    def words(self, said: Said) -> Words | None:
        return said.every(said.value, FULL, LINEAR)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        full = [layer for layer, word in enumerate(words) if kind(word) == "attention"]
        step = full[0] + 1 if full else 0
        fits = step > 1 and full == list(range(step - 1, len(words), step))
        return {self.name: step} if fits else None


class Period(Codec, frozen=True):
    """Layers with ``i % period == offset`` (jamba); `offset_name` is the field of the offset."""

    offset_name: str
    word: str
    other: str

    def words(self, said: Said) -> Words | None:
        offset, depth = said.fields.get(self.offset_name), said.depth or 0
        if not is_count(offset):
            return None
        return said.at((layer for layer in range(depth) if layer % said.value == offset), self.word, self.other)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        """The smallest period and its offset that give exactly these layers."""
        wanted = [layer for layer, word in enumerate(words) if kind(word) == kind(self.word)]
        if not wanted:
            return None
        offset = wanted[0]
        period = wanted[1] - offset if len(wanted) > 1 else max(offset + 1, len(words) - offset)
        fits = offset < period and wanted == list(range(offset, len(words), period))
        return {self.name: period, self.offset_name: offset} if fits else None


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value)
