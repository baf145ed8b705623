"""PEFT, accelerate, DeepSpeed, unsloth and merge tools."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

ENTRIES = (
    Entry(
        ("expected target modules in <..> but received <list>", "Please verify that the loaded LoRA module is correct"),
        (because("adapter-base", "likely"), because("adapter-prefix")),
        (
            Example(
                "ValueError: While loading /a, expected target modules in {'q_proj'} but received ['layers.0.feed_forward.w1']. "
                "Please verify that the loaded LoRA module is correct",
                "adapter-base",
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("<name> is unsupported LoRA weight",),
        (
            because("adapter-unservable", "likely", name=r"lm_head|embed_tokens"),
            because("adapter-partial", "possible"),
            because("adapter-prefix", "possible"),
        ),
        (
            Example(
                "ValueError: base_model.model.lm_head.base_layer.weight is unsupported LoRA weight",
                "adapter-unservable",
            ),
            Example("ValueError: base_model.model.norm.weight is unsupported LoRA weight", "adapter-partial"),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("Found unsupported layer: <name>",),
        (because("peft-dump", "likely", name=r"lora_|base_layer"), because("foreign-dialect")),
        (
            Example(
                "ERROR: Found unsupported layer: model.language_model.layers.23.self_attn.v_proj.lora_B.weight!",
                "peft-dump",
            ),
        ),
        phase="convert",
    ),
    Entry(
        ("MoE LoRA merge fell back to the base weight",),
        (because("adapter-partial", "likely"), because("adapter-fused")),
        (
            Example(
                "Unsloth: MoE LoRA merge fell back to the base weight on 57 per-expert tensor(s)", "adapter-partial"
            ),
        ),
        engine="unsloth",
        phase="save",
    ),
    Entry(
        ("Found missing adapter keys",),
        (
            because("adapter-prefix", "likely", text=r"_orig_mod|language_model|base_model\.model\.base_model"),
            because("adapter-empty", "likely"),
            because("adapter-prefix"),
            because("adapter-partial"),
        ),
        (
            Example(
                "UserWarning: Found missing adapter keys while loading the checkpoint: ['base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight']",
                "adapter-empty",
            ),
        ),
        engine="peft",
        phase="load",
    ),
    Entry(
        ("should not be contained in the prefix",),
        (because("adapter-name", "likely"),),
        (
            Example(
                "UserWarning: Adapter name lora should not be contained in the prefix lora_.This may lead to reinitialization of the adapter weights during loading.",
                "adapter-name",
            ),
        ),
        engine="peft",
        phase="load",
    ),
    Entry(
        ("Bad in-place call: input tensor size <shape> and output tensor size <shape>",),
        (because("packed-as-dense", "likely"), because("quant-set")),
        (
            Example(
                "RuntimeError: Bad in-place call: input tensor size [8388608, 1] and output tensor size [4096, 4096] should match",
                "packed-as-dense",
            ),
        ),
        phase="load",
    ),
    Entry(
        ("Unsloth: Extracted keys = <list> do not match!",),
        (because("packed-as-dense", "likely"),),
        (
            Example(
                "RuntimeError: Unsloth: Extracted keys = {'model.layers.0.mlp.down_proj.SCB'} do not match!",
                "packed-as-dense",
            ),
        ),
        engine="unsloth",
        phase="save",
    ),
    Entry(
        ("WeightsMergeError<..>does not exist", "<name> does not exist<..>base model"),
        (because("adapter-fused", "likely"), because("adapter-base")),
        (Example("WeightsMergeError: model.layers.0.linear_attn.in_proj_q.weight does not exist", "adapter-fused"),),
        phase="convert",
    ),
    Entry(
        ("Tensor <name> required but not present in model", "required but not present in model"),
        (because("merge-tool-blind", "likely"), because("head-missing", name=r"lm_head"), because("nesting-prefix")),
        (Example("RuntimeError: Tensor lm_head.weight required but not present in model /x", "merge-tool-blind"),),
        engine="mergekit",
        phase="convert",
    ),
    Entry(
        (
            "LoRA on <embed_tokens|lm_head>",
            "LoRA <..>does not support <embed_tokens|lm_head>",
            "does not have any LoRA<..>embed",
            "embedding_modules",
        ),
        (because("adapter-unservable", "likely"),),
        (
            Example(
                "ValueError: LoRA on embed_tokens/lm_head rejected or ignored (class lacks embedding_modules)",
                "adapter-unservable",
            ),
        ),
        phase="load",
    ),
    Entry(
        (
            "is trained with the base model <..> not <..>",
            "adapter <..> base model mismatch",
            "base_model_name_or_path<..>mismatch",
        ),
        (because("adapter-base", "likely"),),
        (Example("ValueError: adapter and base model mismatch", "adapter-base"),),
        phase="load",
    ),
    Entry(
        ("no v_head weight is found", "No v_head weight"),
        (because("task-head-missing", "likely"), because("wrapper-prefix")),
        (
            Example(
                "WARNING:root:A <class 'AutoModelForCausalLMWithValueHead'> model is loaded from 'x', and no v_head weight is found.",
                "task-head-missing",
            ),
        ),
        phase="load",
    ),
    Entry(
        ("Error loading saved checkpoint after <..>",),
        (because("wrong-class", "possible"), because("foreign-dialect")),
        (Example("Error loading saved checkpoint after pre-training", "wrong-class"),),
        phase="load",
    ),
)
