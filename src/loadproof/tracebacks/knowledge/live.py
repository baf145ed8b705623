"""Errors of torch itself: a live parameter has the wrong rank, is sharded, packed, or a placeholder."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_ZERO = r"(?i)deepspeed|zero[-_ ]?3|stage3|ds_shape|ds_id|torch\.Size\(\[0\]\)|torch\.embedding"
_ZERO_RUN = r"(?i)deepspeed|zero[-_ ]?3|stage3|ds_shape|ds_id"
_FLAT = r"shape \[?(?:torch\.Size\()?[\[(][1-9]\d*,?[\])]|found 1-D \[[1-9]|1 维 [\[(][1-9]"  # one size, and not 0
_HEAD = r"lm_head|F\.linear|compute_logits|output_embeddings|HeadSpec"
_FSDP_RUN = r"(?i)fully_?shard|_fsdp_wrapped|_flat_param|summon_full_params|/fsdp/|fsdp_config|fsdp_version|--fsdp"

ENTRIES = (
    Entry(
        (
            "'weight' must be 2-D",
            "<name>.weight' must be 2-D",
            "must be 2-D, but got weight of shape",
            "weight must be 2D",
            "weight must be 2-dimensional",
            "weight 必须是 2 维",
            "weight 必须是二维",
            "weight must be 2-D [vocab, hidden], found",
        ),
        (
            because("fsdp-runtime", "likely", text=_FSDP_RUN),
            because("zero3-runtime", "likely", text=_ZERO_RUN),
            because("embedding-flattened", "possible", name=r"embed|wte"),
            because("head-not-2d", "likely", text=_FLAT, near=_HEAD),
            because("head-not-2d", "possible", near=_HEAD),
            because("head-not-2d", "possible", text=_FLAT),
            because("zero3-runtime", "possible", lacks=_FLAT),
            because("fsdp-runtime", "possible"),
            because("head-not-2d", "possible"),
            because("embedding-flattened", "possible"),
        ),
        (
            Example("RuntimeError: 'weight' must be 2-D", "zero3-runtime"),
            Example("RuntimeError: weight must be 2-D, but got weight of shape [torch.Size([25600])]", "head-not-2d"),
            Example(
                '  File "modeling_x.py", line 9, in forward\n    logits = self.lm_head(hidden_states)\n'
                "RuntimeError: weight must be 2-D",
                "head-not-2d",
            ),
            Example("ValueError: lm_head.weight 必须是 2 维 [vocab, hidden] 当前是 1 维 (128,)", "head-not-2d"),
            Example(
                "  File \"/x/deepspeed/runtime/engine.py\", line 5, in forward\nRuntimeError: 'weight' must be 2-D",
                "zero3-runtime",
            ),
            Example(
                "Traceback (most recent call last):\n"
                '  File "/x/torch/distributed/fsdp/fully_sharded_data_parallel.py", line 5, in forward\n'
                '  File "/x/torch/nn/functional.py", line 2, in embedding\n'
                "RuntimeError: 'weight' must be 2-D",
                "fsdp-runtime",
            ),
        ),
    ),
    Entry(
        ("self indexing axis dim should be positive",),
        (because("zero3-runtime", "likely"), because("zero3-placeholders")),
        (Example("IndexError: index_select(): self indexing axis dim should be positive", "zero3-runtime"),),
    ),
    Entry(
        ("size mismatch, got input (<n>), mat (<..>), vec (<n>)",),
        (because("live-head-flattened", "likely"), because("zero3-runtime", text=_ZERO), because("fsdp-runtime")),
        (Example("RuntimeError: size mismatch, got input (5), mat (5x64), vec (16384)", "live-head-flattened"),),
    ),
    Entry(
        ("Expected size for first two dimensions of batch2 tensor to be: <shape> but got: <shape>",),
        (because("live-head-flattened", "likely"), because("fsdp-runtime")),
        (
            Example(
                "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [1, 64] but got: [1, 16384].",
                "live-head-flattened",
            ),
        ),
    ),
    Entry(
        ("mat1 and mat2 shapes cannot be multiplied (<..> and 1x<n>)",),
        (because("packed-parameter", "likely"), because("packed-as-dense")),
        (
            Example(
                "RuntimeError: mat1 and mat2 shapes cannot be multiplied (7x4096 and 1x8388608)", "packed-parameter"
            ),
        ),
    ),
    Entry(
        ("mat1 and mat2 shapes cannot be multiplied (<..> and <..>)",),
        (
            because("head-transposed", "possible", text=r"lm_head"),
            because("transposed"),
            because("packed-parameter"),
            because("dims-wrong"),
        ),
        (Example("RuntimeError: mat1 and mat2 shapes cannot be multiplied (7x64 and 128x64)", "transposed"),),
    ),
    Entry(
        ("t() expects a tensor with <= 2 dimensions",),
        (because("shape-mismatch", "possible"),),
        (Example("RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D", "shape-mismatch"),),
    ),
    Entry(
        ("got mixed torch.Tensor and DTensor",),
        (because("dtensor-runtime", "likely"),),
        (
            Example(
                "RuntimeError: aten.mm.default: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!",
                "dtensor-runtime",
            ),
        ),
    ),
    Entry(
        ("Cannot flatten unevenly sharded tensor",),
        (because("dtensor-runtime", "likely"),),
        (Example("RuntimeError: Cannot flatten unevenly sharded tensor", "dtensor-runtime"),),
    ),
    Entry(
        ("is a view and its base <..> modified inplace",),
        (because("fsdp-runtime", "likely"),),
        (
            Example(
                "RuntimeError: Output 0 of ViewBackward0 is a view and its base or another view of its base has been modified inplace.",
                "fsdp-runtime",
            ),
        ),
    ),
    Entry(
        ("shape '<shape>' is invalid for input of size <n>",),
        (
            because("packed-as-dense", "likely", text=r"convert_hf|hf-to-gguf|, 1, \d+\]|, 1\]"),
            because("truncated", "likely", text=r"frombuffer"),
            because("live-shapes", "likely", text=r"-1"),
            because("live-shapes"),
            because("packed-as-dense"),
            because("dims-wrong"),
        ),
        (
            Example("RuntimeError: shape '[1, 5, -1, 12]' is invalid for input of size 90", "live-shapes"),
            Example(
                "  File \"convert_hf_to_gguf.py\", line 9, in permute\nRuntimeError: shape '[2, 2, 1, 1]' is invalid for input of size 8",
                "packed-as-dense",
            ),
        ),
    ),
    Entry(
        ("Attempted to access the data pointer on an invalid python storage",),
        (
            because("dtensor-save", "likely", text=r"(?i)dtensor|fsdp|fully_shard"),
            because("packed-parameter"),
            because("dtensor-save"),
            because("zero3-placeholders"),
        ),
        (
            Example(
                "RuntimeError: Attempted to access the data pointer on an invalid python storage.", "packed-parameter"
            ),
        ),
        phase="save",
    ),
    Entry(
        ("FSDP expects uniform original parameter dtype but got <list>",),
        (because("mixed-dtype", "likely"),),
        (
            Example(
                "ValueError: FSDP expects uniform original parameter dtype but got {torch.bfloat16, torch.float32}",
                "mixed-dtype",
            ),
        ),
    ),
    Entry(
        ("Must flatten tensors with uniform dtype but got <..>",),
        (because("mixed-dtype", "likely"),),
        (
            Example(
                "ValueError: Must flatten tensors with uniform dtype but got torch.bfloat16 and torch.float32",
                "mixed-dtype",
            ),
        ),
    ),
    Entry(
        ("probability tensor contains either <..>",),
        (because("payload-corrupt", "likely"), because("quant-config-missing"), because("quant-set")),
        (Example("RuntimeError: probability tensor contains either `inf`, `nan` or element < 0", "payload-corrupt"),),
        phase="generate",
    ),
    Entry(
        ("get_seq_length<..>can only be called on Attention layers",),
        (because("cache-layers", "likely"),),
        (
            Example(
                "ValueError: `get_seq_length` can only be called on Attention layers of hybrid caches", "cache-layers"
            ),
        ),
    ),
    Entry(
        ("assert hidden_states.shape[-1] == input_embeds.shape[-1]",),
        (because("draft-mismatch", "likely"),),
        (Example("    assert hidden_states.shape[-1] == input_embeds.shape[-1]\nAssertionError", "draft-mismatch"),),
    ),
    Entry(
        ("'status': 'NOT_AVAILABLE'", "ZeroParamStatus.NOT_AVAILABLE", "ds_shape"),
        (because("zero3-runtime", "likely"), because("zero3-placeholders")),
        (
            Example(
                "AssertionError: {'id': 0, 'status': 'NOT_AVAILABLE', 'numel': 0, 'ds_numel': 131072000, 'shape': (0,), 'ds_shape': (32000, 4096)}",
                "zero3-runtime",
            ),
        ),
        engine="deepspeed",
    ),
)
