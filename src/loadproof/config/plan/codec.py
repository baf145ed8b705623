"""What a spelling of a layer plan is: one field of the config that can be read as words, and written to say others.

A codec is data and five small methods. `read` and `write` are inverse: what `write` makes reads back as the words that
were meant, or `write` returns None because the spelling cannot say them. A new spelling is one class, or one more
instance of an existing one, in the table of its module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from loadproof.config.spellings import value_of

Words = tuple[str | None, ...]
Fields = Mapping[str, Any]
MOST_LAYERS = 100_000
_UNREADABLE = (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError, AttributeError)


def depth_of(fields: Fields) -> int | None:
    """The number of decoder layers that the fields state, None when they do not."""
    value = value_of(dict(fields), "num_hidden_layers")
    return int(value) if is_count(value) else None


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_LAYERS


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


class Codec(Struct, frozen=True):
    """One spelling. `first` is the number that the field gives to the first layer, where it numbers layers at all."""

    name: str  # the field

    @property
    def first(self) -> int:
        return 0

    def words(self, said: Said) -> Words | None:
        """What the field says. May raise what indexing and arithmetic raise on a value of another form."""
        raise NotImplementedError

    def written(self, said: Said, words: Sequence[str | None]) -> Fields | None:
        """Every field to set (this one, and those that belong to it) so that it says `words`; None: it cannot."""
        return None

    def resized(self, value: Any, depth: int, more: Sequence[str | None]) -> Any:
        """The value for a model of `depth` layers; `more` are the words of layers that it does not reach yet.

        None where new entries would be guesses; the value itself where the depth is no part of it.
        """
        return value

    def numbered(self, value: Any) -> dict[tuple[str, ...], list[int]]:
        """The lists of layer numbers inside the value, by their path below the field; empty where it holds none."""
        return {}


def read(codec: Codec, fields: Fields) -> Words | None:
    """What this spelling says in these fields, None when it is absent, null, or not of the form it should have."""
    value = fields.get(codec.name)
    if value is None:
        return None
    try:
        return codec.words(Said(value, fields, depth_of(fields)))
    except _UNREADABLE:
        return None


def write(codec: Codec, fields: Fields, words: Sequence[str | None]) -> Fields | None:
    """The fields to set so that this spelling says `words`, None where it cannot."""
    try:
        return codec.written(Said(fields.get(codec.name), fields, depth_of(fields) or len(words)), words)
    except _UNREADABLE:
        return None
