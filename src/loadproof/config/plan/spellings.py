"""Every spelling of a mixer plan, in the order in which a class would prefer them.

Rules of the fields as the configuration classes apply them (transformers 5.24).
"""

from __future__ import annotations

from loadproof.config.plan.codec import Codec, Fields, Words, read
from loadproof.config.plan.lists import Letters, Numbers, Ratios, Repeated, Window, WindowFrom, WordList
from loadproof.config.plan.numbers import Every, LayerList, Period, TwoLists
from loadproof.config.plan.words import CONV, FULL, LINEAR

_ALL: tuple[Codec, ...] = (
    WordList("layer_types"),
    WordList("layers_block_type"),
    Letters("hybrid_override_pattern"),
    Repeated("block_types"),
    Numbers("attn_type_list"),
    TwoLists("linear_attn_config"),
    LayerList("full_attn_idxs", FULL, CONV),
    LayerList("attn_layer_indices", FULL, LINEAR),
    Period("attn_layer_period", "attn_layer_offset", FULL, LINEAR),
    Every("layer_group_size"),
    Every("full_attention_interval"),
    Ratios("compress_ratios"),
    LayerList("cross_attention_layers", "cross_attention", FULL),
    LayerList("local_layer_ids", "hybrid_sliding", "hybrid"),
    Window("sliding_window_pattern"),
    WindowFrom("max_window_layers"),
)
CODECS: dict[str, Codec] = {codec.name: codec for codec in _ALL}
SPELLINGS: tuple[str, ...] = tuple(CODECS)
LISTS: tuple[str, ...] = tuple(codec.name for codec in _ALL if isinstance(codec, WordList))  # one word per layer


def read_words(fields: Fields, name: str) -> Words | None:
    """What this one field says, None when it is absent, null, or not of the form it should have."""
    return read(CODECS[name], fields)
