"""Parameters in memory: sharded, packed, flattened."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="zero3-runtime",
        code="LP904",
        slug="placeholder-parameter",
        headline=(
            "a ZeRO-3 parameter is used outside the DeepSpeed engine: in this process it is an empty placeholder; "
            "the file is fine"
        ),
        confirm="weight.shape is [0] and weight.ds_shape is (vocab, hidden); DeepSpeed stage 3 in the run",
        refute="the weight has no ds_shape, or its numel is not 0",
        command="python -c 'print(model.get_input_embeddings().weight.shape)'",
        remedy=(
            "call through the engine, wrap in deepspeed.zero.GatheredParameters, or initialise the reference / "
            "teacher model with DeepSpeed too"
        ),
        where="run",
        issues=("huggingface/trl#600", "deepspeedai/DeepSpeed#2746"),
    ),
    Cause(
        key="fsdp-runtime",
        code="LP905",
        slug="local-shard",
        headline=(
            "an FSDP parameter is used past its root module: in this process it is a rank-local 1-D view; the file "
            "is fine"
        ),
        confirm="names hold _fsdp_wrapped_module, weight is 1-D or [0] and much shorter than vocab*hidden; FSDP in the run",
        refute="the model is not wrapped in FSDP in this process",
        command="python -c 'print(model.get_input_embeddings().weight.shape)'",
        remedy="generate through the wrapped (root) module, or inside FSDP.summon_full_params(writeback=False)",
        where="run",
        issues=("huggingface/transformers#39186", "pytorch/pytorch#124019"),
    ),
    Cause(
        key="dtensor-runtime",
        code="LP905",
        slug="local-shard",
        headline=(
            "an FSDP2 / tensor-parallel module is called past its root, so plain tensors meet DTensors; the file is"
            " fine"
        ),
        confirm="parameters are DTensors",
        refute="no parameter is a DTensor",
        command="loadproof check PATH",
        remedy="call the root module, or use full_tensor()",
        where="run",
    ),
    Cause(
        key="head-not-2d",
        code="LP901",
        slug="head-not-2d",
        headline="the embedding (or the head tied to it) was flattened in memory: rank 1, vocab*hidden elements",
        confirm="numel == vocab*hidden",
        refute="numel is 0 or smaller: placeholder or shard",
        command="python -c 'print(model.get_input_embeddings().weight.shape)'",
        remedy="w.data = w.data.view(vocab, hidden); loadproof's guard does it",
        where="run",
    ),
    Cause(
        key="live-head-flattened",
        code="LP201",
        slug="head-flattened",
        headline="lm_head.weight is 1-D: a flattened head ([vocab*hidden]) reaches the output projection",
        confirm="numel == vocab*hidden: {shape}; on disk or made by code in memory",
        refute="lm_head.weight.dim() == 2",
        command="loadproof check PATH",
        remedy="on disk: loadproof fix PATH LP201; in memory: head.weight.data = head.weight.data.view(vocab, hidden)",
        where="run",
    ),
    Cause(
        key="packed-parameter",
        code="LP906",
        slug="packed-parameter",
        headline="a packed 4-bit weight ([n,1]) is used as if it were dense",
        confirm="the weight is uint8 with one column (bitsandbytes)",
        refute="it is floating point",
        command="loadproof check PATH",
        remedy="use the bitsandbytes layer, or dequantize first",
        where="run",
    ),
    Cause(
        key="head-rows",
        code="LP902",
        slug="head-rows",
        headline="the head in memory has fewer rows than the vocabulary (a rank's shard)",
        confirm="rows * ranks == vocab",
        refute="rows == vocab",
        command="loadproof check PATH",
        remedy="use the gathered weight",
        where="run",
    ),
    Cause(
        key="live-shapes",
        code="LP502",
        slug="config-dims-wrong",
        headline="a reshape meets sizes that do not divide: heads not divisible by tp_size, or packed weights in a converter",
        confirm="heads % tp_size != 0, or the weight is packed",
        refute="heads are divisible and weights are dense",
        command="loadproof check PATH",
        remedy="choose another tp_size; unpack before converting",
        where="run",
    ),
    Cause(
        key="tie-broken",
        code="LP903",
        slug="tie-broken",
        headline="head and embedding are tied by config but no longer one tensor in memory",
        confirm="lm_head.weight is not embed_tokens.weight",
        refute="they are one object",
        command="loadproof check PATH",
        remedy="call tie_weights(), or set tie_word_embeddings false before saving",
        where="run",
    ),
    Cause(
        key="cache-layers",
        code="LP301",
        slug="layer-plan-mismatch",
        headline="a hybrid model has no full-attention layer left (cut too short), so the cache has no length",
        confirm="layer_types holds no full_attention",
        refute="at least one full-attention layer is there",
        command="loadproof plan PATH",
        remedy="keep one full-attention layer when shortening the model",
    ),
    Cause(
        key="dtensor-save",
        code="LP905",
        slug="local-shard",
        headline="sharded DTensors were given to safetensors",
        confirm="parameters are DTensors",
        refute="plain tensors",
        command="loadproof check PATH",
        remedy="gather first: get_model_state_dict(..., full_state_dict=True)",
        where="run",
    ),
)
