"""Size mismatches: the rows themselves say more (pairing.py); these entries only say that the text is known."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_LAST = (because("shape-mismatch", "possible"), because("dims-wrong", "possible"))

ENTRIES = (
    Entry(
        (
            "size mismatch for <name>: copying a param with shape <shape> from checkpoint",
            "size mismatch for <name>",
            "size mismatch: <..> vs <..>",
            "found shape <shape> in the checkpoint and <shape> in the model instantiated",
            "size mismatch <..> copying a param with shape",
        ),
        (because("zero3-placeholders", "likely", text=r"(?:shape|size)s? torch\.Size\(\[0\]\)|\[0\]"), *_LAST),
        (
            Example(
                "size mismatch for model.layers.0.mlp.up_proj.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([11008, 4096]).",
                "zero3-placeholders",
            ),
            Example(
                "size mismatch for base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([8, 4096])",
                "adapter-empty",
            ),
            Example(
                "size mismatch for lm_head.weight: copying a param with shape torch.Size([32, 768]) from checkpoint, the shape in current model is torch.Size([59744, 768]).",
                "head-replaced",
            ),
            Example("size mismatch for lm_head.weight: [32000,4096] vs [128256,4096]", "draft-vocab"),
            Example(
                "size mismatch for embedding.word_embeddings.weight: copying a param with shape torch.Size([102400, 2048]) from checkpoint, the shape in current model is torch.Size([102416, 2048])",
                "vocab-rows",
            ),
            Example(
                "size mismatch for model.layers.3.self_attn.k_proj.weight: <[1024,8192]> vs <[8192,8192]>", "dims-wrong"
            ),
            Example("size mismatch: (640,) vs (5120,)", "rank-shard"),
            Example(
                "size mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([131344896]) from checkpoint, the shape in current model is torch.Size([128266, 4096])",
                "fsdp1-slice",
            ),
            Example(
                "size mismatch for layers.0.mlp.qzeros: <[1, 512]> vs <[32, 512]> ; scales <[1,4096]> vs <[32,4096]>",
                "group-size",
            ),
            Example(
                "size mismatch for base_model.model.lm_head.modules_to_save.default.weight: copying a param with shape torch.Size([32001, 4096]) from checkpoint, the shape in current model is torch.Size([32000, 4096])",
                "adapter-vocab",
            ),
            Example(
                "size mismatch for model.layers.0.mlp.down_proj.weight: copying a param with shape torch.Size([22544384, 1]) from checkpoint, the shape in current model is torch.Size([4096, 11008])",
                "packed-as-dense",
            ),
            Example(
                "size mismatch for model.layers.0.mlp.up_proj.weight: copying a param with shape torch.Size([5504, 4096]) from checkpoint, the shape in current model is torch.Size([11008, 4096])",
                "rank-shard",
            ),
            Example(
                "size mismatch for base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight: copying a param with shape torch.Size([8, 4096]) from checkpoint, the shape in current model is torch.Size([16, 4096])",
                "adapter-base",
            ),
            Example(
                "size mismatch for model.layers.0.linear_attn.conv1d.weight: copying a param with shape torch.Size([256, 4]) from checkpoint, the shape in current model is torch.Size([256, 1, 4])",
                "conv-layout",
            ),
        ),
        phase="load",
        defers=True,
    ),
    Entry(
        (
            "Tried to load weights of size <shape>to a parameter of size <shape>",
            "Tried to load weights of size <shape> to a parameter of size <shape>",
        ),
        (
            because("quant-set", "likely", text=r", 1\]\) ?to a parameter"),
            because("zero3-placeholders", "likely", text=r"size torch\.Size\(\[0\]\)"),
            because("packed-as-dense", text=r", 1\]\) ?to"),
            *_LAST,
        ),
        (
            Example(
                "AssertionError: Tried to load weights of size torch.Size([8388608, 1])to a parameter of size torch.Size([4096, 4096])",
                "quant-set",
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("Attempted to load weight (<shape>) into parameter (<..>)", "Attempted to load weight <shape> into parameter"),
        (
            because("zero3-placeholders", "likely", text=r"weight \(torch\.Size\(\[0\]\)\)|weight \(\(?0,?\)"),
            because("quant-set", "likely", text=r"weight \(torch\.Size\(\[\d+, 1\]\)"),
            *_LAST,
        ),
        (
            Example(
                "ValueError: Attempted to load weight (torch.Size([0])) into parameter (torch.Size([4096]))",
                "zero3-placeholders",
            ),
            Example(
                "ValueError: Attempted to load weight (torch.Size([64, 32])) into parameter (torch.Size([64, 64]))",
                "shape-mismatch",
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("in_features % group_size",),
        (because("group-size", "likely"), because("tp-quant")),
        (Example("AssertionError: in_features % group_size == 0", "group-size"),),
    ),
    Entry(
        ("<shape> vs <shape>",),
        (because("group-size", "possible", text=r", 2\] vs"), *_LAST),
        (Example("RuntimeError: [352, 4096, 2] vs [344, 4096, 2]", "group-size"),),
        defers=True,
    ),
    Entry(
        ("shape error in block path", "scale<..>must be a scalar", "block scale<..>shape"),
        (because("quant-layout", "likely"),),
        (Example("ValueError: shape error in block path", "quant-layout"),),
    ),
    Entry(
        (
            "Trying to set a tensor of shape <shape> in <..> (which has shape <shape>)",
            "Trying to set a tensor of shape <shape>",
        ),
        (
            because("zero3-placeholders", "likely", text=r"tensor of shape torch\.Size\(\[0\]\)"),
            because("vocab-rows", "possible", text=r"Size\(\[\d{5,6}, \d+\]\)"),
            *_LAST,
        ),
        (
            Example(
                'ValueError: Trying to set a tensor of shape torch.Size([32000, 4096]) in "weight" (which has shape torch.Size([32064, 4096])), this look incorrect.',
                "vocab-rows",
            ),
            Example(
                'ValueError: Trying to set a tensor of shape torch.Size([0]) in "weight" (which has shape torch.Size([32064, 4096])), this looks incorrect.',
                "zero3-placeholders",
            ),
        ),
        phase="load",
    ),
    Entry(
        ("The size of tensor a (<n>) must match the size of tensor b (<n>) at non-singleton dimension <n>",),
        (
            because("zero3-runtime", "possible", text=r"tensor [ab] \(0\)"),
            because(
                "vocab-rows",
                "possible",
                text=r"\(\d{5,6}\) must match the size of tensor b \(\d{5,6}\) at non-singleton dimension 0",
            ),
            because("dims-wrong", "possible"),
            because("shape-mismatch", "possible"),
        ),
        (
            Example(
                "RuntimeError: The size of tensor a (128256) must match the size of tensor b (128264) at non-singleton dimension 0",
                "vocab-rows",
            ),
            Example(
                "RuntimeError: The size of tensor a (0) must match the size of tensor b (4096) at non-singleton dimension 1",
                "zero3-runtime",
            ),
        ),
    ),
)
