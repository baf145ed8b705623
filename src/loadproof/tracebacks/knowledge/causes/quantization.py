"""Quantized weights: declaration, set, packing, and how tensor parallelism cuts them."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="quant-config-missing",
        code="LP601",
        slug="quant-config-missing",
        headline="the tensors are quantized but the config (as this reader takes it) does not say so",
        confirm="scale / packed tensors are stored, quantization_config is absent or names another method for this module",
        refute="quantization_config is there and covers the module",
        command="loadproof check PATH",
        remedy="restore quantization_config from the original repository, or pass the right quantization flag / loader",
    ),
    Cause(
        key="quant-config-stale",
        code="LP602",
        slug="quant-config-stale",
        headline="the config claims a quantization, the weights are dense",
        confirm="quantization_config (also inside text_config / vision_config) and not one packed or scale tensor",
        refute="packed tensors are stored",
        command="loadproof check PATH",
        remedy="remove quantization_config at every level: loadproof fix PATH LP602",
    ),
    Cause(
        key="quant-set",
        code="LP603",
        slug="quant-set-mismatch",
        headline=(
            "declared and stored set of quantized modules differ (ignore list in other names, router / head / "
            "vision tower)"
        ),
        confirm="an ignore entry matches no module, or a module is packed that the config says is dense (or the reverse)",
        refute="both sets agree: then the engine's name mapping is at fault",
        command="loadproof check PATH",
        remedy="rewrite the ignore list in the names of the file",
    ),
    Cause(
        key="router-quantized",
        code="LP603",
        slug="quant-set-mismatch",
        headline="the MoE router gate was quantized; engines keep it dense",
        confirm="mlp.gate.qweight / g_idx is stored",
        refute="the gate is a plain .weight",
        command="loadproof check PATH",
        remedy="quantize again with the router excluded",
    ),
    Cause(
        key="quant-companion",
        code="LP604",
        slug="quant-companion-missing",
        headline="a quantized module is incomplete: a packed weight or one of its scales is not stored",
        confirm="qweight without scales, or scales without weight",
        refute="every packed weight has its companions",
        command="loadproof check PATH",
        remedy="export again; the lost part cannot be computed",
    ),
    Cause(
        key="quant-layout",
        code="LP605",
        slug="quant-layout",
        headline=(
            "the packing variant in the file is not the one the reader unpacks (GPTQ/AWQ/GEMV, zero points, scalar "
            "against block scales)"
        ),
        confirm="the axis that shrank, or symmetric: false with zero points, differs from the config",
        refute="shapes fit the declared method",
        command="loadproof check PATH",
        remedy="correct quant_method / format / symmetric in the config, or use the tool that wrote it",
    ),
    Cause(
        key="group-size",
        code="LP606",
        slug="quant-group-size",
        headline="group_size in the config is not that of the stored scales",
        confirm="in_features / rows of scales gives another group size (1 row: -1)",
        refute="scales rows == in_features / group_size",
        command="loadproof check PATH",
        remedy="set group_size to what the scales show",
    ),
    Cause(
        key="packed-as-dense",
        code="LP607",
        slug="packed-as-dense",
        headline="the weights are still packed (bitsandbytes or other) although the model is taken for 16-bit",
        confirm="uint8 [n,1] weights, .absmax / .SCB / ._scale / quant_state tensors",
        refute="weights are floating point in their full size",
        command="loadproof check PATH",
        remedy="merge again on a 16-bit base; or load it with the quantization library that packed it",
    ),
    Cause(
        key="tp-quant",
        code="LP702",
        slug="tp-divisibility",
        headline="this tensor-parallel size cuts quantization groups or blocks: the file is fine",
        confirm="size / tp is not a multiple of the group or block size",
        refute="it fails with tp=1 as well",
        command="loadproof check PATH",
        remedy="choose a tp for which every partition is a multiple of the group (or block), or use expert parallelism",
        where="run",
    ),
    Cause(
        key="tp-heads",
        code="LP702",
        slug="tp-divisibility",
        headline="this tensor-parallel size does not divide the heads or another dimension: the file is fine",
        confirm="heads, kv heads or the intermediate size are no multiple of tp",
        refute="it fails with tp=1 as well",
        command="loadproof check PATH",
        remedy="choose a tp that divides them",
        where="run",
    ),
    Cause(
        key="kv-scales",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "KV-cache scales are stored under names that this engine class does not load: the file is fine, the "
            "scales are ignored"
        ),
        confirm="k_scale / v_scale tensors are in the file",
        refute="no such tensors",
        command="loadproof check PATH",
        remedy="upgrade the engine, or serve with kv-cache-dtype auto",
        where="engine",
        issues=("vllm-project/vllm#15784",),
    ),
)
