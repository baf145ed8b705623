"""What guards look at in a live model."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loadproof.core.tensors import Shape


class LiveParameter(Struct, frozen=True):
    """One parameter of a live module, with where its elements really are."""

    role: Literal["input-embedding", "output-head", "other"]
    name: str
    kind: Literal["plain", "zero3", "dtensor", "fsdp1-view", "packed", "meta"]
    shape: Shape  # as torch prints it here; the global shape for a DTensor
    dtype: str
    true_shape: Shape | None = None  # ds_shape, global shape, quant_state.shape: the shape of the whole tensor
    expected: Shape | None = None  # (rows, columns) by the module's own attributes or the config
    strided: bool = True  # an ordinary contiguous-compatible tensor: `.view` can serve it
    gathered_by_hooks: bool = False  # hooks of the engine (ZeRO-3, offloading) bring the values: in order
    detail: str = ""


class LiveModel(Struct, frozen=True):
    """What `diagnose` and `guard` look at: head and input embedding, their tie, wrappers around the model."""

    class_name: str
    parameters: tuple[LiveParameter, ...]
    wrappers: tuple[str, ...] = ()  # outermost first: "DistributedDataParallel", "PeftModelForCausalLM", ...
    tie_declared: bool | None = None  # tie_word_embeddings of the config that counts
    tied: bool | None = None  # head and embedding are one Parameter object
    shares_storage: bool | None = None
    placeholders: int = 0  # parameters without elements, over the whole model
    vocab_size: int | None = None
