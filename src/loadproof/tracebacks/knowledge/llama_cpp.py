"""llama.cpp's converter and runtime, and the programs built on it (ollama, LM Studio, koboldcpp, ktransformers)."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_SCALES = r"weight_scale|scale_inv|qweight|qzeros|g_idx|weight_packed|input_scale|\.scales$"

ENTRIES = (
    Entry(
        ("Can not map tensor '<name>'", "Can not map tensor <name>"),
        (
            because(
                "packed-as-dense", "likely", name=r"absmax|quant_map|quant_state|SCB|\._scale$|\._data$|weight_format"
            ),
            because("quant-layout", "likely", name=_SCALES, near=r"torch\.(?:u?int8|int32|float8\w{0,12}) +-->"),
            because("quant-config-missing", "likely", name=_SCALES),
            because("mtp-unannounced", "likely", name=r"eh_proj|enorm|hnorm|shared_head|(?:^|\.)mtp\."),
            because(
                "wrapper-prefix",
                "likely",
                name=r"_orig_mod|^module\.|_fsdp_wrapped|_checkpoint_wrapped|pretrained_model",
            ),
            because("adapter-prefix", "likely", text=r"convert_lora|lora_to_gguf", name=r"mixer|k_proj|q_proj"),
            because("peft-dump", "likely", name=r"base_model|base_layer|lora_"),
            because("expert-layout", "likely", name=r"experts"),
            because("repeated-prefix", "likely", name=r"(?:^|\.)(\w+)\.\1\."),
            because(
                "fused-dialect",
                "likely",
                name=r"in_proj_qkvz|in_proj_ba|gate_up_proj|qkv_proj|Wqkv|in_proj_qkv|in_proj_z",
            ),
            because("head-wrapped", "likely", name=r"lm_head\.(?!weight$)"),
            because("backbone-only", "likely", name=r"^(?:embed_tokens|layers|norm|h|wte)\."),
            because("adapter-prefix", "possible", name=r"mixer\.[kqvo]_proj"),
            because("text-vs-vlm", "likely", name=r"visual|vision|projector|audio"),
            because("wrong-class", "likely", name=r"score|classifier|v_head|value_head"),
            because("foreign-dialect", "likely", name=r"attention\.w|feed_forward|tok_embeddings"),
            because("wrong-class", "possible"),
            because("reader-too-old", "possible"),
            because("nesting-prefix", "possible"),
        ),
        (
            Example("ValueError: Can not map tensor 'embed_tokens.weight'", "backbone-only"),
            Example("ValueError: Can not map tensor 'layers.0.linear_attn.A_log'", "backbone-only"),
            Example("ValueError: Can not map tensor 'model.layers.0.mlp.down_proj.weight.absmax'", "packed-as-dense"),
            Example("ValueError: Can not map tensor 'model.layers.0.mlp.down_proj.SCB'", "packed-as-dense"),
            Example("ValueError: Can not map tensor 'lm_head.weight._scale'", "packed-as-dense"),
            Example("ValueError: Can not map tensor 'model.layers.48.eh_proj.weight'", "mtp-unannounced"),
            Example("ValueError: Can not map tensor 'model.layers.0.linear_attn.in_proj_ba.weight'", "fused-dialect"),
            Example("ValueError: Can not map tensor 'model.layers.3.mixer.k_proj.weight'", "adapter-prefix"),
            Example(
                "ValueError: Can not map tensor 'model.layers.3.mlp.up_proj.weight_scale_inv'", "quant-config-missing"
            ),
        ),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        ("Duplicated tensor name",),
        (because("rival-formats", "likely"), because("duplicate-tensor")),
        (Example("ValueError: Duplicated tensor name 'token_embd.weight'", "rival-formats"),),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        (
            "Architecture '<word>' not supported!",
            "Architecture <word> not supported",
            "Model <word> is not supported",
            "MODEL_ARCH <..>has no attribute",
            "type object 'MODEL_ARCH' has no attribute",
        ),
        (because("reader-too-old", "likely"), because("wrong-class")),
        (
            Example("NotImplementedError: Architecture 'Qwen9ForCausalLM' not supported!", "reader-too-old"),
            Example("AttributeError: type object 'MODEL_ARCH' has no attribute 'QWEN9'", "reader-too-old"),
        ),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        ("layer_types has <n> entries, expected num_hidden_layers (<n>)",),
        (because("plan-length", "certain"),),
        (Example("ValueError: layer_types has 48 entries, expected num_hidden_layers (45)", "plan-length"),),
        phase="convert",
    ),
    Entry(
        (
            "Quant method is not yet supported: '<word>'",
            "Quant method is not yet supported",
            "Can't handle multiple config groups for compressed-tensors yet",
            "unsupported compressed-tensors format",
        ),
        (because("reader-too-old", "likely"), because("quant-config-stale")),
        (Example("NotImplementedError: Quant method is not yet supported: 'fp_quant'", "reader-too-old"),),
        phase="convert",
    ),
    Entry(
        ("QKV fusion did not consume all buffered tensors",),
        (because("quant-set", "possible"), because("layer-plan", "possible"), because("shard-missing", "possible")),
        (Example("ValueError: QKV fusion did not consume all buffered tensors: ['blk.3.attn_v']", "quant-set"),),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        ("Unexpected name '<name>': Not a lora_A or lora_B tensor", "Not a lora_A or lora_B tensor"),
        (because("adapter-vocab", "likely", name=r"embed|lm_head|modules_to_save"), because("adapter-fused", "likely")),
        (
            Example(
                "ValueError: Unexpected name 'base_model.model.lm_head.weight': Not a lora_A or lora_B tensor",
                "adapter-vocab",
            ),
        ),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        ("missing tensor '<name>'", "tensor '<name>' not found", "<name> tensor missing"),
        (
            because("head-missing", "likely", name=r"^output\.weight$"),
            because("gguf-too-new", "likely", name=r"nextn|ssm_|attn_qkv|attn_gate"),
            because("mtp-promised", "likely", name=r"nextn|eh_proj"),
            because("expert-layout", "possible", name=r"_exps\.|ffn_\w+\.\d+\.weight"),
            because("mtp-promised", "possible", name=r"^blk\.\d+\."),
            because("layer-plan", "likely", name=r"ssm_|attn_[qkv]\b|shortconv"),
            because("gguf-dialect", "possible", name=r"token_embd"),
            because("no-weights", "possible", name=r"token_embd"),
            because("gguf-too-new", "possible"),
            because("depth", "possible", name=r"^blk\."),
            because("saver-dropped", "possible"),
        ),
        (
            Example("llama_model_load: error loading model: missing tensor 'output.weight'", "head-missing"),
            Example("llama_model_load: error loading model: missing tensor 'blk.40.ssm_conv1d.weight'", "gguf-too-new"),
            Example(
                "llama_model_load: error loading model: check_tensor_dims: tensor 'blk.40.attn_qkv.weight' not found",
                "gguf-too-new",
            ),
            Example("output.weight tensor missing", "head-missing"),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("tensor '<name>' has wrong shape",),
        (
            because("vocab-rows", "likely", name=r"tok(?:en)?_embd|tok_embeddings|^output\.weight"),
            because("dims-wrong", "likely"),
        ),
        (
            Example(
                "llama_model_load: error loading model: check_tensor_dims: tensor 'blk.0.ffn_gate.weight' has wrong shape; expected  4096, 11008, got  4096, 14336,     1,     1",
                "dims-wrong",
            ),
            Example(
                "check_tensor_dims: tensor 'token_embd.weight' has wrong shape; expected  4096, 32000, got  4096, 32001,     1,     1",
                "vocab-rows",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("wrong number of tensors; expected", "too many tensors created"),
        (because("ignored-leftover", "likely"), because("mtp-unannounced"), because("gguf-too-new")),
        (
            Example(
                "llama_model_load: error loading model: done_getting_tensors: wrong number of tensors; expected 403, got 363",
                "ignored-leftover",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("key not found in model: <name>", "key <name> has wrong array length; expected <n>, got <n>"),
        (
            because("plan-length", "likely", text=r"wrong array length"),
            because("gguf-too-new", "likely"),
            because("gguf-dialect"),
        ),
        (
            Example(
                "error loading model hyperparameters: key not found in model: qwen35.ssm.conv_kernel", "gguf-too-new"
            ),
            Example(
                "error loading model: key granitehybrid.attention.head_count_kv has wrong array length; expected 41, got 40",
                "plan-length",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        (
            "unknown model architecture: '<word>'",
            "unknown architecture",
            "unsupported architecture <..>",
            "Unknown gguf model_type: <word>",
        ),
        (
            because(
                "mmproj",
                "likely",
                text=r"architecture: .?(?:clip|sd\w*|flux|wan)\b|unsupported architecture .?(?:clip|sd)",
            ),
            because("gguf-too-new", "likely"),
            because("mmproj"),
        ),
        (
            Example("llama_model_load: error loading model: unknown model architecture: 'clip'", "mmproj"),
            Example("llama_model_load: error loading model: unknown model architecture: 'sd3'", "mmproj"),
            Example("llama_model_load: error loading model: unknown model architecture: 'qwen9'", "gguf-too-new"),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("has invalid ggml type <n>", "invalid ggml type"),
        (because("gguf-too-new", "likely"),),
        (
            Example(
                "gguf_init_from_file_impl: tensor 'blk.0.ffn_gate_exps.weight' has invalid ggml type 39 (NONE)",
                "gguf-too-new",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        (
            "data is not within the file bounds",
            "model is corrupted or incomplete",
            "tensor data is not within file bounds",
        ),
        (because("truncated", "likely"),),
        (
            Example(
                "llama_model_load: error loading model: tensor 'blk.9.ffn_up.weight' data is not within the file bounds, model is corrupted or incomplete",
                "truncated",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("invalid model: tensor '<name>' is duplicated", "is duplicated"),
        (because("duplicate-tensor", "likely"),),
        (
            Example(
                "llama_model_load: error loading model: invalid model: tensor 'blk.0.attn_q.weight' is duplicated",
                "duplicate-tensor",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("illegal split file idx", "invalid split count", "invalid split file", "missing split"),
        (because("shard-missing", "likely"), because("gguf-dialect")),
        (
            Example(
                "llama_model_load: error loading model: illegal split file idx: 1 (file: x-00002-of-00003.gguf), model must be loaded with the first split",
                "shard-missing",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("invalid n_rot: <n>, expected <n>", "invalid n_rot"),
        (because("importer-bug", "likely"), because("dims-wrong")),
        (
            Example(
                "llama_model_load: error loading model: error loading model hyperparameters: invalid n_rot: 160, expected 128",
                "importer-bug",
            ),
        ),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("mismatch between text model (n_embd = <n>) and mmproj (n_embd = <n>)",),
        (because("mmproj", "likely"),),
        (Example("mismatch between text model (n_embd = 4096) and mmproj (n_embd = 5120)", "mmproj"),),
        engine="llama.cpp",
        phase="load",
    ),
    Entry(
        ("failed to map GGUF parameters (<n>)", "Failed to map GGUF parameters"),
        (because("gguf-dialect", "likely"), because("engine-removed")),
        (Example("RuntimeError: Failed to map GGUF parameters (12): ['a.weight']", "gguf-dialect"),),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("can't find <name> in GGUF file!", "can't find <name>", "Key <name> not found in Safetensor files"),
        (because("gguf-dialect", "likely"), because("head-missing", name=r"^output\.weight|lm_head")),
        (
            Example("ValueError: can't find blk.0.attn_kv_b_proj.weight in GGUF file!", "gguf-dialect"),
            Example("KeyError: Key output.weight not found in Safetensor files", "gguf-dialect"),
            Example("can't find token_embd.weight in GGUF file!", "gguf-dialect"),
        ),
        engine="ktransformers",
        phase="load",
    ),
    Entry(
        ("invalid file magic", "unsupported content type: unknown", "invalid magic characters", "failed to read magic"),
        (because("not-weights", "likely"), because("lfs-pointer"), because("truncated")),
        (
            Example("Error: invalid file magic", "not-weights"),
            Example("gguf_init_from_file_impl: invalid magic characters: 'vers', expected 'GGUF'", "not-weights"),
        ),
        phase="load",
    ),
    Entry(
        ("torch.uint8 --> F16, shape = <..>",),
        (because("packed-as-dense", "likely"),),
        (
            Example(
                "INFO:hf-to-gguf:blk.0.ffn_down.weight, torch.uint8 --> F16, shape = {1, 22544384}", "packed-as-dense"
            ),
        ),
        engine="llama.cpp",
        phase="convert",
    ),
)
