"""Names of decoder layers: prefix, children, and the mixer that the children reveal.

The container name alone is not enough (kimi_linear and minimax call both kinds ``self_attn``, nemotron_h calls all of
them ``mixer``): parameters below it decide.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from loadproof.core.families import show_axis
from loadproof.lexicon.extras import MULTIMODAL, is_other_stack
from loadproof.lexicon.mixers import LINEAR_MODULES, LINEAR_WORDS, SOFTMAX_MODULES
from loadproof.lexicon.mixers import mixer_of as mixer_by_signature

DEFAULT_PREFIX = "language_model.model."
_LAYER = re.compile(r"^((?:[\w-]+\.)*?)layers\.(\d+)\.(.+)$")
_SHORT = {
    "linear_attention": "linear_attn",
    "full_attention": "full_attn",
    "indexed_attention": "full_attn",
    "cross_attention": "full_attn",
    "conv": "conv",
    "hybrid": "hybrid",
}
_MIXERS = (*LINEAR_MODULES, *SOFTMAX_MODULES)


def is_linear(word: str) -> bool:
    """True for every word that means a mixer other than softmax attention."""
    return word.lower() in LINEAR_WORDS


def names_in(checkpoint: Mapping[str, Any] | str | os.PathLike[str]) -> list[str]:
    """The tensor names of a state dict or of a checkpoint folder (headers and index only)."""
    if isinstance(checkpoint, Mapping):
        return list(checkpoint)
    if not isinstance(checkpoint, str | os.PathLike):
        raise not_a_state_dict(checkpoint)
    from loadproof.runtime.stored import stored_names

    return stored_names(str(os.fspath(checkpoint)))


def not_a_state_dict(given: object) -> TypeError:
    """The error for what is neither a state dict nor a path; a model has one to give."""
    hint = "; give model.state_dict()" if hasattr(given, "state_dict") else ""
    return TypeError(f"not a state dict or checkpoint folder: {type(given).__name__}{hint}")


def find_prefix(names: Iterable[str]) -> str:
    """What stands before ``layers.<i>.`` for most layers; the write-up's prefix when no name has layers."""
    layers: dict[str, set[str]] = {}
    for name in names:
        if m := _LAYER.match(name):
            layers.setdefault(m[1], set()).add(m[2])
    sizes = Counter({prefix: len(indices) for prefix, indices in layers.items()})
    text = Counter({p: n for p, n in sizes.items() if not (is_other_stack(p) or re.search(MULTIMODAL, p))})
    return (text or sizes).most_common(1)[0][0] if sizes else DEFAULT_PREFIX


def layers_of(names: Iterable[str], prefix: str) -> dict[int, set[str]]:
    """{layer: names below it}, for the layers under this prefix."""
    found: dict[int, set[str]] = {}
    start = prefix + "layers."
    for name in names:
        if name.startswith(start):
            index, _, rest = name[len(start) :].partition(".")
            if index.isdigit() and rest:
                found.setdefault(int(index), set()).add(rest)
    return found


def mixer_of(rest: str) -> str | None:
    """The mixer container of a name inside a layer (``self_attn`` of ``self_attn.q_proj.weight``)."""
    first = rest.partition(".")[0]
    return first if first in _MIXERS else None


def mixer_word(children: set[str]) -> str:
    """``linear_attn``, ``mamba``, ``conv``, ``full_attn``, ``hybrid`` or ``no mixer``, by names inside one layer."""
    word, mixer = mixer_by_signature(children)
    if word == "linear_attention" and (mixer or "").startswith("Mamba"):
        return "mamba"
    if word in _SHORT:
        return _SHORT[word]
    containers = {mixer_of(rest) for rest in children}
    if "linear_attn" in containers:
        return "linear_attn"
    if containers & set(SOFTMAX_MODULES):
        return "full_attn"
    return next((c for c in ("mamba", "conv") if c in containers), "no mixer")


def show_layers(indices: Iterable[int]) -> str:
    """``3, 7`` or ``0-5, 9``."""
    return show_axis(tuple(sorted(indices))).replace(",", ", ")
