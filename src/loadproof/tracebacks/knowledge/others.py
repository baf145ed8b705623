"""TGI, TensorRT-LLM, LMDeploy, exllamav2, mistral.rs, SGLang and Megatron texts that are theirs alone."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

ENTRIES = (
    Entry(
        ("Cannot load <..> because <name> expected shape",),
        (because("dims-wrong", "possible"), because("wrong-class"), because("shape-mismatch")),
        (
            Example(
                "ValueError: Cannot load ./m/unet because conv_in.weight expected shape tensor(..., device='meta', "
                "size=(320, 4, 3, 3)), but got torch.Size([320, 9, 3, 3]).",
                "dims-wrong",
            ),
        ),
        engine="diffusers",
        phase="load",
        defers=True,
    ),
    Entry(
        (
            "Tensor-parallel is not supported for",
            "does not support tensor parallel",
            "is not supported with <..>parallel",
        ),
        (because("engine-feature", "likely"), because("tp-heads")),
        (
            Example(
                "AssertionError: Tensor-parallel is not supported for Gemma3ForConditionalGeneration", "engine-feature"
            ),
        ),
        phase="build",
    ),
    Entry(
        (
            "Provided tensor names are different from those expected by the engine",
            "Provided but not expected tensors:<list>",
        ),
        (because("wrong-class", "possible"), because("foreign-dialect"), because("dims-wrong")),
        (
            Example(
                "RuntimeError: Provided tensor names are different from those expected by the engine.\n"
                "Expected but not provided tensors: set()\n"
                "Provided but not expected tensors: {'transformer.layers.7.mlp.fc.weight'}",
                "wrong-class",
            ),
        ),
        engine="tensorrt-llm",
        phase="build",
    ),
    Entry(
        ("[TM][ERROR] Assertion fail: <..>bind.cpp", "[TM][ERROR] <..>Assertion fail"),
        (because("group-size", "possible"), because("quant-layout"), because("engine-mapping")),
        (
            Example(
                "RuntimeError: [TM][ERROR]  Assertion fail: /x/lmdeploy/src/turbomind/python/bind.cpp:294", "group-size"
            ),
        ),
        engine="lmdeploy",
        phase="load",
    ),
    Entry(
        ("invalid character <..> looking for beginning of value",),
        (because("config-broken", "possible"), because("index-invalid")),
        (Example("Error: invalid character 'I' looking for beginning of value", "config-broken"),),
        engine="ollama",
        phase="config",
    ),
    Entry(
        ("Missing key in checkpoint state_dict: <name>",),
        (
            because("wrapper-prefix", "likely", name=r"_orig_mod|_fsdp_wrapped|^module\."),
            because("nesting-prefix", "possible"),
            because("training-state", "possible"),
            because("shard-missing", "possible"),
        ),
        (
            Example(
                "RuntimeError: Missing key in checkpoint state_dict: _orig_mod.layers.0.wq.weight.", "wrapper-prefix"
            ),
            Example("RuntimeError: Missing key in checkpoint state_dict: model.layers.0.wq.weight.", "nesting-prefix"),
        ),
        phase="load",
    ),
    Entry(
        ("fsdp_config.json does not exist",),
        (because("training-state", "likely"),),
        (Example("ckpt/actor/fsdp_config.json does not exist.", "training-state"),),
        phase="convert",
    ),
    Entry(
        ("object has no attribute 'set_embed'",),
        (because("engine-feature", "likely"), because("draft-mismatch")),
        (Example("AttributeError: 'Qwen2ForCausalLM' object has no attribute 'set_embed'", "engine-feature"),),
        phase="load",
    ),
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
