"""Errors that a reader raises before it opens a weight file, or because a file holds code: the check predicts them."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

ENTRIES: tuple[Entry, ...] = (
    Entry(
        ("Unrecognized configuration class <..>for this kind of AutoModel", "Unrecognized configuration class"),
        (because("wrong-class", "likely"), because("reader-too-old")),
        (
            Example(
                "ValueError: Unrecognized configuration class <class 'x.LlavaConfig'> for this kind of AutoModel: "
                "AutoModelForCausalLM.",
                "wrong-class",
            ),
        ),
        engine="transformers",
        phase="build",
    ),
    Entry(
        ("It looks like the config file at <..> is not a valid JSON file",),
        (because("config-broken", "likely"), because("lfs-pointer")),
        (
            Example(
                "OSError: It looks like the config file at '/m/config.json' is not a valid JSON file.", "config-broken"
            ),
        ),
        engine="transformers",
        phase="config",
    ),
    Entry(
        ("StrictDataclassFieldValidationError: Validation error for field <..>",),
        (because("config-value", "likely"), because("config-refused")),
        (Example("StrictDataclassFieldValidationError: Validation error for field 'hidden_size':", "config-value"),),
        engine="transformers",
        phase="config",
    ),
    Entry(
        ("AttributeError: module 'torch' has no attribute <..>",),
        (because("config-value", "possible"),),
        (Example("AttributeError: module 'torch' has no attribute 'bf16'", "config-value"),),
        phase="config",
    ),
    Entry(
        (
            "Padding_idx must be within num_embeddings",
            "Missing required keys in `rope_parameters`",
            "hidden_size must be divisible by num_attention_heads",
        ),
        (because("config-refused", "likely"), because("config-value")),
        (
            Example("AssertionError: Padding_idx must be within num_embeddings", "config-refused"),
            Example(
                "KeyError: \"Missing required keys in `rope_parameters` for 'rope_type'='yarn': {'factor'}\"",
                "config-refused",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("contains custom code which must be executed", "please set trust_remote_code=True"),
        (because("remote-code-untrusted", "likely"), because("reader-too-old")),
        (
            Example(
                "ValueError: The repository /m contains custom code which must be executed to correctly load the model.",
                "remote-code-untrusted",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("UnpicklingError: Weights only load failed",),
        (because("pickled-code", "likely"), because("truncated"), because("not-weights")),
        (Example("_pickle.UnpicklingError: Weights only load failed. Unsupported global", "pickled-code"),),
        phase="load",
    ),
    Entry(
        ("Token id <n> is out of vocabulary", "device-side assert triggered"),
        (because("vocab-tokenizer", "possible"), because("vocab-rows")),
        (
            Example("ValueError: Token id 128256 is out of vocabulary", "vocab-tokenizer"),
            Example("RuntimeError: CUDA error: device-side assert triggered", "vocab-tokenizer"),
        ),
        phase="generate",
    ),
)
