"""The knowledge base: error texts and what causes them. One module per engine, one entry per text.

To add a text: add an entry (or a pattern to one) in the module of its engine, with an example; nothing else.
"""

from __future__ import annotations

from loadproof.tracebacks.base import Entry
from loadproof.tracebacks.knowledge import (
    configs,
    files,
    keyerrors,
    live,
    llama_cpp,
    mlx,
    others,
    own,
    peft,
    sizes,
    transformers,
    vllm,
)
from loadproof.tracebacks.knowledge.causes import CAUSES

ENTRIES: tuple[Entry, ...] = (
    *own.ENTRIES,
    *keyerrors.ENTRIES,
    *live.ENTRIES,
    *configs.ENTRIES,
    *transformers.ENTRIES,
    *sizes.ENTRIES,
    *files.ENTRIES,
    *peft.ENTRIES,
    *vllm.ENTRIES,
    *llama_cpp.ENTRIES,
    *mlx.ENTRIES,
    *others.ENTRIES,
)

__all__ = ["CAUSES", "ENTRIES"]
