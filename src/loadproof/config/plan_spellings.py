"""Every spelling of a mixer plan: a field of the config -> one canonical word per layer.

Rules of the fields as the configuration classes apply them (transformers 5.24); indices are 0-based except where a
field is known to count from one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from loadproof.config.plan_words import canonical
from loadproof.config.spellings import value_of

Words = tuple[str | None, ...]
Fields = Mapping[str, Any]
LINEAR, FULL, SLIDING, CONV = "linear_attention", "full_attention", "sliding_attention", "conv"
_PATTERN = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}


def depth_of(fields: Fields) -> int | None:
    """The number of decoder layers that the fields state, None when they do not."""
    value = value_of(dict(fields), "num_hidden_layers")
    return int(value) if is_count(value) else None


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100_000


class Said(Struct, frozen=True):
    """One field that is present: its value, the fields around it, and the depth that they state."""

    value: Any
    fields: Fields
    depth: int | None

    def at(self, layers: Iterable[int], word: str, other: str) -> Words | None:
        """`word` on these layers, `other` on the rest; None where the depth is not known."""
        members = set(layers)
        return tuple(word if layer in members else other for layer in range(self.depth)) if self.depth else None

    def every(self, interval: int, word: str, other: str) -> Words | None:
        """`word` on the last layer of every group of `interval` layers."""
        return self.at((layer for layer in range(self.depth or 0) if (layer + 1) % interval == 0), word, other)


def read_words(fields: Fields, name: str) -> Words | None:
    """What this one field says, None when it is absent, null, or not of the form it should have."""
    value = fields.get(name)
    if value is None:
        return None
    try:
        return _READERS[name](Said(value, fields, depth_of(fields)))
    except (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError, AttributeError):
        return None


def _word_list(said: Said) -> Words | None:
    return tuple(map(canonical, said.value)) if isinstance(said.value, list) else None


def _pattern_letters(said: Said) -> Words | None:
    """``MEM*|M-/*E``: a bar marks pipeline cuts, what follows a slash belongs to the prediction heads."""
    return tuple(_PATTERN[letter] for letter in said.value.split("/")[0].replace("|", ""))


def _repeated(said: Said) -> Words | None:
    words = [LINEAR if word == "recurrent" else SLIDING for word in said.value]
    return tuple(words[layer % len(words)] for layer in range(said.depth)) if said.depth else None


def _numbers(said: Said) -> Words | None:
    return tuple({0: LINEAR, 1: FULL}[number] for number in said.value)


def _one_based_lists(said: Said) -> Words | None:
    full, linear = said.value.get("full_attn_layers") or [], said.value.get("kda_layers") or []
    words: list[str | None] = [None] * (said.depth or len(full) + len(linear))
    for numbers, word in ((full, FULL), (linear, LINEAR)):
        for number in numbers:
            words[number - 1] = word  # 0 writes the last layer, as the class does
    return tuple(words) if full or linear else None


def _period(said: Said) -> Words | None:
    offset, depth = said.fields.get("attn_layer_offset"), said.depth or 0
    if not is_count(offset):
        return None
    return said.at((layer for layer in range(depth) if layer % said.value == offset), FULL, LINEAR)


def _window_pattern(said: Said) -> Words | None:
    """An interval, or letters such as ``LLLG`` that repeat."""
    if isinstance(said.value, str):
        letters = said.value
        return tuple(SLIDING if letters[layer % len(letters)] == "L" else FULL for layer in range(said.depth or 0))
    return said.every(said.value, FULL, SLIDING)


def _window_layers(said: Said) -> Words | None:
    if not said.fields.get("use_sliding_window") or not said.fields.get("sliding_window"):
        return None
    return said.at(range(said.value, said.depth or 0), SLIDING, FULL)


def _compress_ratios(said: Said) -> Words | None:
    names = {0: SLIDING, 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
    return tuple(names.get(ratio) for ratio in said.value[: said.depth or len(said.value)])


# In the order in which a class would prefer them. The value tells how to read the field.
_READERS: dict[str, Callable[[Said], Words | None]] = {
    "layer_types": _word_list,
    "layers_block_type": _word_list,
    "hybrid_override_pattern": _pattern_letters,
    "block_types": _repeated,
    "attn_type_list": _numbers,
    "linear_attn_config": _one_based_lists,
    "full_attn_idxs": lambda said: said.at(said.value, FULL, CONV),
    "attn_layer_indices": lambda said: said.at(said.value, FULL, LINEAR),
    "attn_layer_period": _period,
    "layer_group_size": lambda said: said.every(said.value, FULL, LINEAR),
    "full_attention_interval": lambda said: said.every(said.value, FULL, LINEAR),
    "compress_ratios": _compress_ratios,
    "cross_attention_layers": lambda said: said.at(said.value, "cross_attention", FULL),
    "local_layer_ids": lambda said: said.at(said.value, "hybrid_sliding", "hybrid"),
    "sliding_window_pattern": _window_pattern,
    "max_window_layers": _window_layers,
}
SPELLINGS: tuple[str, ...] = tuple(_READERS)
