"""`LayerPlan`: one declared source of truth for which layer holds which mixer, checked against real tensors.

Keys are compared by path segment (``layers.20.linear_attn.in_proj_qkv.weight``), never by equality of a whole name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from loadproof.runtime.errors import LayerPlanError
from loadproof.runtime.layer_names import (
    DEFAULT_PREFIX,
    find_prefix,
    is_linear,
    layers_of,
    mixer_word,
    names_in,
    show_layers,
)


@dataclass(frozen=True)
class LayerPlan:
    """Which layers are linear attention (or another recurrent mixer); all others are full attention.

    `linear_attn_layers`: 0-based indices. `num_layers`: depth. `prefix`: what stands before ``layers.`` in the names
    (``"language_model.model."``); None: found in the checkpoint. `layer_types`: the words of the source, if it had
    one per layer; `type_of` then returns them.
    """

    linear_attn_layers: AbstractSet[int] = frozenset()
    num_layers: int = 0
    prefix: str | None = None
    layer_types: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear_attn_layers", frozenset(self.linear_attn_layers))
        outside = sorted(i for i in self.linear_attn_layers if not 0 <= i < self.num_layers)
        if outside:
            raise LayerPlanError(f"linear_attn_layers {outside} lie outside of {self.num_layers} layers (0-based)")

    @classmethod
    def from_layer_types(cls, words: Iterable[str], prefix: str | None = None) -> LayerPlan:
        """From one word per layer, in the words of transformers (`linear_attention`) or short ones (`linear_attn`)."""
        words = tuple(words)
        linear = frozenset(i for i, word in enumerate(words) if is_linear(word))
        return cls(linear, len(words), prefix, words)

    @classmethod
    def from_config(cls, config: Any, prefix: str | None = None) -> LayerPlan:
        """From a config object, a dict, or the path of a checkpoint folder; every spelling of a plan is understood.

        Raises LayerPlanError when the config says nothing about mixers.
        """
        from loadproof.runtime.config_source import words_of_config

        return cls.from_layer_types(words_of_config(config), prefix)

    @classmethod
    def from_checkpoint(cls, checkpoint: Any) -> LayerPlan:
        """From the names of a state dict or of a checkpoint folder: what is really stored."""
        names = names_in(checkpoint)
        prefix = find_prefix(names)
        words = {i: mixer_word(children) for i, children in layers_of(names, prefix).items()}
        if not words:
            raise LayerPlanError("no name of the form '<prefix>layers.<number>.' in this checkpoint")
        depth = max(words) + 1
        return cls(
            frozenset(i for i, word in words.items() if is_linear(word)),
            depth,
            prefix,
            tuple(words.get(i, "unknown") for i in range(depth)),
        )

    def type_of(self, index: int) -> str:
        """The word of one layer: ``linear_attn`` / ``full_attn``, or the word its source used. Raises IndexError."""
        if not 0 <= index < self.num_layers:
            raise IndexError(f"layer {index} of a plan with {self.num_layers} layers")
        if self.layer_types:
            return self.layer_types[index]
        return "linear_attn" if index in self.linear_attn_layers else "full_attn"

    def validate_against_checkpoint(self, checkpoint: Mapping[str, Any] | str) -> None:
        """Compare with a state dict or a checkpoint folder; only names are read.

        Raises LayerPlanError (a ValueError and a KeyError) that names every layer in disagreement: declared linear and
        not stored so, or declared full attention and stored as something else.
        """
        names = names_in(checkpoint)
        prefix = self.prefix if self.prefix is not None else find_prefix(names)
        stored = {i: mixer_word(children) for i, children in layers_of(names, prefix).items()}
        missing = tuple(
            i for i in sorted(self.linear_attn_layers) if not _holds_linear(names, prefix, i, stored.get(i))
        )
        contrary = tuple(
            i
            for i, word in sorted(stored.items())
            if i < self.num_layers and i not in self.linear_attn_layers and is_linear(word)
        )
        if missing or contrary:
            raise LayerPlanError(self._message(missing, contrary, stored, prefix), missing)

    def _message(self, missing: tuple[int, ...], contrary: tuple[int, ...], stored: dict[int, str], prefix: str) -> str:
        lines = []
        if missing:
            what = sorted({stored.get(i, "nothing") for i in missing})
            lines.append(
                f"the plan says linear attention for layer(s) {show_layers(missing)}, the checkpoint stores "
                f"{', '.join(what)} there (no '{prefix}layers.{missing[0]}.linear_attn.*')"
            )
        if contrary:
            lines.append(
                f"the plan says full attention for layer(s) {show_layers(contrary)}, the checkpoint stores "
                f"{stored[contrary[0]]} there"
            )
        lines.append(
            "config and weights come from two revisions: take both from one, or build the plan with "
            "LayerPlan.from_checkpoint(...)"
        )
        return "\n".join(lines)


def _holds_linear(names: Iterable[str], prefix: str, index: int, word: str | None) -> bool:
    if word is not None and is_linear(word):
        return True
    wanted = f"{prefix}layers.{index}.linear_attn"
    return any(name == wanted or name.startswith(wanted + ".") for name in names)


__all__ = ["DEFAULT_PREFIX", "LayerPlan"]
