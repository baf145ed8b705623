"""Adapters."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="adapter-empty",
        code="LP801",
        slug="adapter-empty",
        headline="the adapter file holds no tensors (40 bytes) or empty ones: loading changes nothing",
        confirm="adapter_model.safetensors has 0 tensors or sizes [0] (ZeRO-3 without gathering)",
        refute="it holds two tensors per target module",
        command="loadproof check PATH",
        remedy="save again with parameters gathered; this file has no weights",
    ),
    Cause(
        key="adapter-prefix",
        code="LP802",
        slug="adapter-prefix",
        headline=(
            "the adapter's names do not match this base (prefix: _orig_mod., headless base, language_model., "
            "runtime names)"
        ),
        confirm="all names match after one prefix is exchanged",
        refute="only some layers are missing (LP805)",
        command="loadproof check PATH",
        remedy="load it on the base it was trained on, or rename the adapter's tensors to the names of this base",
    ),
    Cause(
        key="adapter-name",
        code="LP802",
        slug="adapter-prefix",
        headline="the adapter is named like PEFT's own prefix, so its keys collide",
        confirm="adapter name 'lora' against prefix 'lora_'",
        refute="another adapter name",
        command="loadproof check PATH",
        remedy="load it under another adapter_name",
    ),
    Cause(
        key="adapter-base",
        code="LP803",
        slug="adapter-base-mismatch",
        headline="the adapter belongs to another base model (or to another r): its sizes do not fit",
        confirm="lora_A columns differ from the base's in_features, or lora_B rows from out_features: {shape}",
        refute="sizes fit",
        command="loadproof check PATH",
        remedy="use the base named in adapter_config.json, or set r to the stored one",
    ),
    Cause(
        key="adapter-vocab",
        code="LP804",
        slug="adapter-vocab",
        headline="the adapter was trained with a resized vocabulary",
        confirm="embed_tokens / lm_head in the adapter have other rows than the base: {shape}",
        refute="rows agree",
        command="loadproof check PATH",
        remedy="resize the base to the adapter's rows first",
    ),
    Cause(
        key="adapter-partial",
        code="LP805",
        slug="adapter-partial",
        headline="the adapter lacks some layers or modules that its config promises",
        confirm="only part of the layers is missing",
        refute="all are missing (LP801, LP802)",
        command="loadproof check PATH",
        remedy="save it again; or correct target_modules / layers_to_transform",
    ),
    Cause(
        key="adapter-unservable",
        code="LP804",
        slug="adapter-vocab",
        headline="the adapter touches embedding or head, which this engine does not apply as LoRA",
        confirm="embed_tokens / lm_head tensors are in the adapter",
        refute="only linear modules",
        command="loadproof check PATH",
        remedy="merge the adapter into the base",
    ),
    Cause(
        key="adapter-fused",
        code="LP802",
        slug="adapter-prefix",
        headline="the adapter targets split projections, the base stores them fused (or the reverse)",
        confirm="in_proj_q / q_proj in the adapter, in_proj_qkv / qkv_proj in the base",
        refute="names agree",
        command="loadproof check PATH",
        remedy="merge with the class that the adapter was trained on",
    ),
)
