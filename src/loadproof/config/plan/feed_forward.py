"""Every spelling of which layers hold experts: one word per layer, ``dense`` or ``sparse``.

Rules of the fields as the model and configuration classes of transformers 5.24 apply them. A class reads one or two of
these; which one decided is found by comparing with the layers that it built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loadproof.config.plan.codec import Codec, Fields, Said, Words, is_count, read
from loadproof.config.plan.lists import WordList
from loadproof.config.plan.numbers import LayerList, Period
from loadproof.config.plan.words import DENSE, SPARSE
from loadproof.config.spellings import value_of


class FirstDense(Codec, frozen=True):
    """The first n layers are dense (modeling_deepseek_v3.py, modeling_dots1.py, modeling_lfm2_moe.py:482)."""

    def words(self, said: Said) -> Words | None:
        return said.at(range(said.value), DENSE, SPARSE) if is_count(said.value) else None

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        first = next((layer for layer, word in enumerate(words) if word != DENSE), len(words))
        return {self.name: first} if all(word == SPARSE for word in words[first:]) else None


class Frequency(Codec, frozen=True):
    """0 or 1 per layer, or experts in every n-th layer from the first that may have them (configuration_axk1.py)."""

    def words(self, said: Said) -> Words | None:
        if isinstance(said.value, list):
            return tuple({0: DENSE, 1: SPARSE}[number] for number in said.value)
        first = said.fields.get("first_k_dense_replace") or 0
        return said.at((i for i in range(first, said.depth or 0) if i % said.value == 0), SPARSE, DENSE)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        return {self.name: [int(word == SPARSE) for word in words]} if isinstance(said.value, list) else None

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        if not isinstance(value, list):
            return value
        return value[:depth] if depth <= len(value) else None


class SparseStep(Codec, frozen=True):
    """Experts where ``(i + 1) % step == 0``, unless the layer is in mlp_only_layers (modeling_qwen3_moe.py)."""

    def words(self, said: Said) -> Words | None:
        only = said.fields.get("mlp_only_layers") or []
        if not value_of(dict(said.fields), "num_experts"):
            return said.at((), SPARSE, DENSE)
        return said.at((i for i in _stepped(said.depth, said.value) if i not in only), SPARSE, DENSE)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        """A step that reaches every layer with experts, and the exceptions from it."""
        sparse = {layer for layer, word in enumerate(words) if word == SPARSE}
        step = said.value if is_count(said.value) and said.value else 1
        step = step if sparse <= set(_stepped(len(words), step)) else 1
        return {self.name: step, "mlp_only_layers": [i for i in _stepped(len(words), step) if i not in sparse]}


class Span(Codec, frozen=True):
    """Every n-th layer between a first and a last one (ernie4_5_moe; -1 is the last layer)."""

    def words(self, said: Said) -> Words | None:
        start, end = said.fields["moe_layer_start_index"], said.fields["moe_layer_end_index"]
        last = (said.depth or 0) - 1 if end == -1 else end
        return said.at((i for i in _stepped(said.depth, said.value) if start <= i <= last), SPARSE, DENSE)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        sparse = [layer for layer, word in enumerate(words) if word == SPARSE]
        step = sparse[1] - sparse[0] if len(sparse) > 1 else 1
        if not sparse or sparse != [i for i in _stepped(len(words), step) if sparse[0] <= i <= sparse[-1]]:
            return None
        return {self.name: step, "moe_layer_start_index": sparse[0], "moe_layer_end_index": sparse[-1]}


class Interleaved(Codec, frozen=True):
    """Experts in every n-th layer (llama4, where moe_layers is not stated)."""

    def words(self, said: Said) -> Words | None:
        return said.at(range(said.value - 1, said.depth or 0, said.value), SPARSE, DENSE) if said.value else None

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        wanted = [layer for layer, word in enumerate(words) if word == SPARSE]
        step = wanted[0] + 1 if wanted else 0
        return {self.name: step} if step and wanted == list(range(step - 1, len(words), step)) else None


class Enumerated(Codec, frozen=True):
    """The layers with experts as one text, ``"4,5,6"`` (step3p7)."""

    def words(self, said: Said) -> Words | None:
        return said.at([int(part) for part in said.value.split(",")], SPARSE, DENSE)

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        numbers = [str(layer) for layer, word in enumerate(words) if word == SPARSE]
        return {self.name: ",".join(numbers)} if numbers else None


def _stepped(depth: int | None, step: int) -> Iterable[int]:
    return [layer for layer in range(depth or 0) if (layer + 1) % step == 0]


_ALL: tuple[Codec, ...] = (
    WordList("mlp_layer_types"),
    LayerList("moe_layers", SPARSE, DENSE),
    Enumerated("moe_layers_enum"),
    Interleaved("interleave_moe_layer_step"),
    SparseStep("decoder_sparse_step"),
    Span("moe_layer_interval"),
    Period("expert_layer_period", "expert_layer_offset", SPARSE, DENSE),
    Frequency("moe_layer_freq"),
    FirstDense("first_k_dense_replace"),
    FirstDense("num_dense_layers"),
)
FEED_FORWARD: dict[str, Codec] = {codec.name: codec for codec in _ALL}


def deciding(fields: Fields, built: Sequence[str | None]) -> Codec | None:
    """The spelling in these fields that says what was built, the one that a class prefers first; None: none does."""
    return next((codec for codec in _ALL if _agrees(read(codec, fields), built)), None)


def _agrees(words: Words | None, built: Sequence[str | None]) -> bool:
    if words is None or len(words) != len(built):
        return False
    return all(word == made for word, made in zip(words, built, strict=True) if made is not None)
