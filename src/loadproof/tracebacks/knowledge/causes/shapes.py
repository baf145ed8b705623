"""Sizes and types."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="zero3-placeholders",
        code="LP506",
        slug="zero3-placeholders",
        headline="ZeRO-3 placeholders were saved: the tensors are empty",
        confirm="most tensors of the file have size [0] and the file is little more than its header",
        refute="tensors have their size",
        command="loadproof check PATH",
        remedy=(
            "the real weights are in global_step*/: run zero_to_fp32.py, or save again with "
            "stage3_gather_16bit_weights_on_model_save"
        ),
    ),
    Cause(
        key="zero3-deduplicated",
        code="LP506",
        slug="zero3-placeholders",
        headline="ZeRO-3 placeholders all looked like one shared tensor and were removed while saving: most layers are gone",
        confirm="the removed names are hundreds of unrelated tensors",
        refute="only head and embedding are named: an ordinary tie",
        command="loadproof check PATH",
        remedy="gather the parameters before saving; this file cannot be mended",
    ),
    Cause(
        key="fsdp1-slice",
        code="LP507",
        slug="fsdp1-local-view",
        headline="a rank's slice of an FSDP1 flat parameter was saved (1-D)",
        confirm="a 1-D tensor whose length is no full matrix, neighbours are [0]",
        refute="numel == rows*cols: flattened",
        command="loadproof check PATH",
        remedy="gather a full state dict (FULL_STATE_DICT) and save again; never reshape it",
    ),
    Cause(
        key="rank-shard",
        code="LP508",
        slug="rank-local-shard",
        headline="only one rank's part was saved (dimension 0 divided by the world size)",
        confirm="all tensors are cut by the same factor in dimension 0",
        refute="only one tensor differs",
        command="loadproof check PATH",
        remedy="concatenate the files of all ranks in order, or save gathered",
    ),
    Cause(
        key="dims-wrong",
        code="LP502",
        slug="config-dims-wrong",
        headline="a size in config.json is not the one the tensors were written with",
        confirm=(
            "one config field (num_key_value_heads, intermediate_size, hidden_size, head_dim) explains every "
            "difference: {shape}"
        ),
        refute="sizes follow from the config",
        command="loadproof check PATH",
        remedy="correct the field in config.json: loadproof fix PATH LP502",
    ),
    Cause(
        key="shape-mismatch",
        code="LP501",
        slug="shape-mismatch",
        headline="a stored tensor has another size than the model: {shape}",
        confirm="the check names the tensor and both sizes",
        refute="sizes agree",
        command="loadproof check PATH",
        remedy="see the first finding of the check",
    ),
    Cause(
        key="transposed",
        code="LP503",
        slug="transposed",
        headline="a tensor is stored transposed",
        confirm="the two dimensions are exchanged: {shape}",
        refute="sizes agree",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP503",
    ),
    Cause(
        key="conv-layout",
        code="LP504",
        slug="flattened",
        headline="a depthwise conv weight lost or moved its middle dimension ([C,K] / [C,K,1] for [C,1,K])",
        confirm="conv1d.weight has two dimensions or the MLX order",
        refute="it is [C,1,K]",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP504 (header only)",
    ),
    Cause(
        key="flattened",
        code="LP504",
        slug="flattened",
        headline="a tensor is stored as one long vector",
        confirm="rank 1 and the same number of elements",
        refute="the rank is right",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP504 (header only)",
    ),
    Cause(
        key="mixed-dtype",
        code="LP505",
        slug="dtype-unlike-config",
        headline="the checkpoint mixes dtypes",
        confirm="float32 and bfloat16 tensors side by side",
        refute="one dtype",
        command="loadproof check PATH",
        remedy="cast to one dtype before wrapping, or use FSDP2 / a mixed-precision policy",
    ),
)
