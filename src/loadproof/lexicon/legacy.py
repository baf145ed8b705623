"""Buffers that old releases of transformers stored and that every release computes anew."""

from __future__ import annotations

import re

LEGACY = re.compile(
    r"(inv_freq|position_ids|masked_bias|attn\.bias|attention\.bias|rotary_emb\.(cos|sin)_cached|embed_positions\.weights)\Z"
)
