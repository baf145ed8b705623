"""mlx-lm, mlx-vlm and the Swift loaders."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_MIXED = r"not in model:?[\s\S]{0,3000}\.weight\b|lm_head\.(?:biases|scales)|[\s,]model\.layers\.\d"

ENTRIES = (
    Entry(
        ("Received <n> parameters not in model", "Received parameters not in model"),
        (
            because("peft-dump", "likely", text=r"\.lora_[ab]\b|_proj\.linear\.(?:weight|scales)"),
            because(
                "quant-set", "likely", text=r"not in model:?\s{1,9}[\w.]{1,200}\.(?:biases|scales)\b", lacks=_MIXED
            ),
            because("quant-companion", "likely", text=r"not in model:?\s*lm_head\.(?:biases|scales)"),
            because("fused-dialect", "likely", text=r"in_proj_qkvz|in_proj_ba"),
            because("quant-config-stale", "likely", text=r"not in model:? [^\n]*\.scales"),
            because("tie-redundant", "likely", text=r"lm_head\.weight"),
            because("text-vs-vlm", "likely", text=r"vision|visual|projector|audio"),
            because("mtp-unannounced", "likely", text=r"mtp\."),
            because("wrapper-prefix", "likely", text=r"_orig_mod|not in model:?\s+module\."),
            because("packed-as-dense", "likely", text=r"absmax|SCB"),
            because("quant-config-missing", "likely", text=r"weight_scale|scale_inv|qweight"),
            because("ignored-leftover", "possible"),
            because("nesting-prefix", "possible"),
        ),
        (
            Example("ValueError: Received 1 parameters not in model: lm_head.weight", "tie-redundant"),
            Example(
                "ValueError: Received 2 parameters not in model: \naudio_tower.conformer.0.k_proj.biases,\naudio_tower.conformer.0.k_proj.scales.",
                "quant-set",
            ),
            Example(
                "ValueError: Received 2 parameters not in model: \nmodel.layers.0.self_attn.q_proj.linear.weight,\nmodel.layers.0.self_attn.q_proj.lora_a.",
                "peft-dump",
            ),
            Example(
                "ValueError: Received 2 parameters not in model: \nlm_head.biases,\nlm_head.scales.", "quant-companion"
            ),
            Example(
                "ValueError: Received 333 parameters not in model: vision_tower.blocks.0.norm.weight", "text-vs-vlm"
            ),
            Example(
                "ValueError: Received 140 parameters not in model: language_model.model.layers.15.self_attn.k_norm.weight,\nlanguage_model.model.layers.15.self_attn.k_proj.weight",
                "ignored-leftover",
            ),
            Example(
                "ValueError: Received 6 parameters not in model: \nmodel.layers.0.linear_attn.in_proj_qkvz.weight",
                "fused-dialect",
            ),
        ),
        engine="mlx-lm",
        phase="load",
        defers=False,
    ),
    Entry(
        ("Missing <n> parameters", "Missing parameters:"),
        (
            because("quant-set", "likely", text=r"lm_head\.(?:biases|scales)|\.scales|\.biases"),
            because("head-missing", "likely", text=r"Missing (?:1 )?parameters:?\s*lm_head\.weight"),
            because("mtp-promised", "likely", text=r"mtp\."),
            because("depth", "possible", text=r"layers\.\d+\."),
            because("layer-plan", "possible", text=r"linear_attn|self_attn|mixer|mamba"),
            because("shard-missing", "possible"),
        ),
        (
            Example("ValueError: Missing parameters: lm_head.biases lm_head.scales", "quant-set"),
            Example("ValueError: Missing 1 parameters: \nlm_head.weight.", "head-missing"),
            Example(
                "ValueError: Missing 14 parameters: \n"
                + ",\n".join(
                    f"language_model.model.layers.4.{part}.weight"
                    for part in (
                        "linear_attn.conv1d",
                        "linear_attn.norm",
                        "linear_attn.out_proj",
                        "mlp.up_proj",
                        "mlp.down_proj",
                        "mlp.gate_proj",
                        "input_layernorm",
                    )
                ),
                "depth",
            ),
        ),
        engine="mlx-lm",
        phase="load",
        defers=True,
    ),
    Entry(
        ("Expected shape <shape> but received shape <shape> for parameter <name>",),
        (because("shape-mismatch", "possible"), because("dims-wrong")),
        (
            Example(
                "ValueError: Expected shape (256, 64) but received shape (16384,) for parameter lm_head.weight",
                "head-flattened",
            ),
            Example(
                "ValueError: Expected shape (32000, 64) but received shape (32064, 64) for parameter model.embed_tokens.weight",
                "vocab-rows",
            ),
        ),
        engine="mlx-lm",
        phase="load",
        defers=True,
    ),
    Entry(
        ("Mismatched parameter <word> shape. Actual <shape>, expected <shape>",),
        (
            because("quant-set", "likely", text=r"parameter (?:scales|biases|weight)"),
            because("group-size"),
            because("dims-wrong"),
        ),
        (Example("Mismatched parameter scales shape. Actual [1024, 40], expected [256, 40]", "quant-set"),),
        engine="mlx-lm",
        phase="load",
    ),
    Entry(
        ("Model type <word> not supported",),
        (because("reader-too-old", "likely"),),
        (Example("ValueError: Model type qwen3_5_text not supported.", "reader-too-old"),),
        engine="mlx-lm",
        phase="config",
    ),
    Entry(
        ("[moveaxis] Invalid axis <n>",),
        (because("conv-layout", "likely"),),
        (Example("IndexError: [moveaxis] Invalid axis 2 for array with 2 dimensions.", "conv-layout"),),
        engine="mlx-lm",
        phase="load",
    ),
)
