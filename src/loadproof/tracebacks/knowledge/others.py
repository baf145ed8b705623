"""TGI, TensorRT-LLM, LMDeploy, exllamav2, mistral.rs, SGLang and Megatron texts that are theirs alone."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

ENTRIES = (
    Entry(
        ("weight <name> does not exist",),
        (
            because("tie-not-honoured", "likely", name=r"lm_head\.weight"),
            because("head-missing", "possible", name=r"lm_head"),
            because("quant-config-stale", "likely", name=r"qweight|scales|qzeros"),
            because("shard-missing", "likely"),
            because("nesting-prefix"),
        ),
        (
            Example("RuntimeError: weight lm_head.weight does not exist", "tie-not-honoured"),
            Example("RuntimeError: weight model.layers.7.mlp.up_proj.weight does not exist", "shard-missing"),
        ),
        engine="tgi",
        phase="load",
    ),
    Entry(
        ("Required but not provided tensors:<list>",),
        (
            because("quant-layout", "likely", text=r"per_channel_scale|scaling_factor|prequant|zero|scale"),
            because("tie-not-honoured", "likely", name=r"lm_head"),
            because("shard-missing", "possible"),
            because("nesting-prefix", "possible"),
        ),
        (
            Example(
                "RuntimeError: Required but not provided tensors:{'transformer.layers.0.mlp.fc.per_channel_scale'}",
                "quant-layout",
            ),
            Example("RuntimeError: Required but not provided tensors:{'lm_head.weight'}", "tie-not-honoured"),
        ),
        engine="tensorrt-llm",
        phase="convert",
        defers=False,
    ),
    Entry(
        ("unexist key", "unexisted key"),
        (because("quant-config-missing", "possible"), because("quant-layout", "possible")),
        (Example("RuntimeError: unexist key when loading AWQ", "quant-config-missing"),),
        engine="lmdeploy",
        phase="load",
    ),
    Entry(
        ("## Could not find lm_head.* in model", "Could not find <..> in model", "Could not find lm_head"),
        (because("tie-not-honoured", "likely"), because("nesting-prefix"), because("head-missing")),
        (Example("ValueError:  ## Could not find lm_head.* in model", "tie-not-honoured"),),
        engine="exllamav2",
        phase="convert",
    ),
    Entry(
        ("Missing required tensor(s) <list>", "Missing required tensor <list>"),
        (because("plan-spellings", "likely", engine=r"mistral"), because("shard-missing"), because("layer-plan")),
        (
            Example(
                "mistralrs: Error: Missing required tensor(s) model.layers.3.self_attn.q_proj.weight", "plan-spellings"
            ),
        ),
        phase="load",
    ),
    Entry(
        ("Error: cannot find tensor <name>", "cannot find tensor <name>"),
        (
            because("tie-not-honoured", "likely", name=r"lm_head"),
            because("nesting-prefix", "possible"),
            because("shard-missing", "possible"),
        ),
        (Example("Error: cannot find tensor lm_head.weight", "tie-not-honoured"),),
        phase="load",
    ),
)
