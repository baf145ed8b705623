"""vLLM and its forks."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_FOUR_BIT = r"(?i)bitsandbytes|\bbnb|[-_]bnb|4-?bit|w4a16|awq|gptq"

ENTRIES = (
    Entry(
        (
            "There is no module or parameter named '<name>' in <word>",
            "There is no module or parameter named <name>",
            "no module or parameter named",
        ),
        (
            because(
                "wrapper-prefix",
                "likely",
                name=r"(?:^|\.)(?:_orig_mod|module|_fsdp_wrapped_module|_checkpoint_wrapped_module|pretrained_model|_orig_module)(?:\.|$)",
            ),
            because("peft-dump", "likely", name=r"base_model|base_layer|lora_"),
            because("repeated-prefix", "likely", name=r"(?:^|\.)(\w+)\.\1(?:\.|$)"),
            because("reader-too-old", "likely", text=r" in TransformersFor\w+"),
            because("quant-set", "likely", text=r"vailable parameters [\s\S]{0,300}weight_(?:packed|scale)"),
            because("quant-set", "likely", name=r"input_scale|weight_scale|qweight|weight_packed|\.scales|g_idx"),
            because("packed-as-dense", "likely", name=r"absmax|SCB|quant_map|quant_state"),
            because(
                "wrong-class",
                "likely",
                name=r"(?:^|\.)(?:score|classifier|v_head|classification_head|value_head)(?:\.|$)",
            ),
            because("mtp-unannounced", "likely", name=r"(?:^|\.)mtp(?:\.|$)|nextn|eh_proj"),
            because("head-wrapped", "likely", name=r"^model\.lm_head"),
            because("tie-redundant", "likely", name=r"(?:^|\.)lm_head$"),
            because("tie-contradicted", "possible", name=r"(?:^|\.)lm_head$"),
            because(
                "text-vs-vlm",
                "likely",
                name=r"(?:^|\.)(?:language_model|visual|vision_tower|vision_model|multi_modal_projector|text_model|audio_tower|mm_projector)(?:\.|$)",
            ),
            because("nesting-prefix", "possible", name=r"language_model|visual|vision"),
            because("backbone-only", "likely", name=r"^(?:embed_tokens|norm|layers|wte|h)$"),
            because(
                "fused-dialect", "likely", name=r"in_proj_(?:qkv|z|a|b|ba)|(?<!experts\.)gate_up_proj|qkv_proj|Wqkv"
            ),
            because(
                "layer-plan", "likely", name=r"layers\.\d+\.(?:self_attn|linear_attn|mamba|mixer|attn|conv|short_conv)"
            ),
            because("foreign-dialect", "likely", name=r"attention\.w|feed_forward\.w|tok_embeddings|^output$|wk$"),
            because("expert-layout", "likely", name=r"experts"),
            because("depth", "likely", name=r"layers\.\d+$"),
            because("wrong-class", "possible"),
            because("nesting-prefix", "possible"),
            because("reader-too-old", "possible"),
        ),
        (
            Example(
                "ValueError: There is no module or parameter named '_orig_mod' in Qwen3ForCausalLM", "wrapper-prefix"
            ),
            Example("ValueError: There is no module or parameter named 'base_model' in LlamaForCausalLM", "peft-dump"),
            Example(
                "ValueError: There is no module or parameter named 'language_model' in Qwen3_5ForCausalLM",
                "text-vs-vlm",
            ),
            Example(
                "ValueError: There is no module or parameter named 'embed_tokens' in Qwen3ForCausalLM", "backbone-only"
            ),
            Example(
                "ValueError: There is no module or parameter named 'lm_head' in Gemma3ForCausalLM", "tie-redundant"
            ),
            Example("ValueError: There is no module or parameter named 'score' in Qwen2ForCausalLM", "wrong-class"),
            Example(
                "ValueError: There is no module or parameter named 'layers.3.self_attn' in Qwen3NextModel. The available parameters belonging to layers.3 (Qwen3NextDecoderLayer) are: {'layers.3.linear_attn.A_log'}",
                "layer-plan",
            ),
            Example(
                "ValueError: There is no module or parameter named 'lm_head.input_scale' in LlamaForCausalLM",
                "quant-set",
            ),
            Example("ValueError: There is no module or parameter named language_model", "text-vs-vlm"),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("Attempted to load nested weight '<name>' into a single parameter",),
        (
            because("expert-layout", "likely", name=r"experts"),
            because("quant-set", "likely"),
            because("head-wrapped", name=r"lm_head"),
        ),
        (
            Example(
                "ValueError: Attempted to load nested weight 'model.layers.0.mlp.up_proj.weight.absmax' into a single parameter 'model.layers.0.mlp.up_proj.weight'",
                "quant-set",
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("Following weights were not initialized from checkpoint: <list>",),
        (
            because("mtp-promised", "likely", name=r"mtp|pre_fc_norm|nextn|eh_proj|enorm|hnorm|shared_head"),
            because("text-vs-vlm", "likely", text=r"visual\.|vision_tower|vision_model"),
            because("nesting-prefix", "possible"),
            because("layer-plan", "possible", text=r"A_log|dt_bias|linear_attn"),
            because("saver-dropped", "possible"),
            because("shard-missing", "possible"),
        ),
        (
            Example(
                "ValueError: Following weights were not initialized from checkpoint: {'lm_head.weight'}", "head-wrapped"
            ),
            Example(
                "ValueError: Following weights were not initialized from checkpoint: {'model.pre_fc_norm_hidden.weight', 'model.fc.weight'}",
                "mtp-promised",
            ),
            Example(
                "ValueError: Following weights were not initialized from checkpoint: {'language_model.model.layers.0.linear_attn.A_log', 'visual.blocks.0.norm1.weight'}",
                "text-vs-vlm",
            ),
            Example(
                "ValueError: Following weights were not initialized from checkpoint: {'model.layers.0.self_attn.q_norm.weight', 'model.layers.1.self_attn.q_norm.weight'}",
                "saver-dropped",
            ),
        ),
        engine="vllm",
        phase="load",
        defers=True,
    ),
    Entry(
        ("AssertionError",),
        (
            because("vocab-rows", "likely", text=r"vocab_parallel_embedding|org_vocab_size"),
            because("head-flattened", "possible", text=r"vocab_parallel_embedding|org_vocab_size"),
            because(
                "dims-wrong",
                "likely",
                text=r"load_qkv_weight|load_column_parallel_weight|load_row_parallel_weight|load_merged_column_weight",
            ),
            because("mtp-promised", "likely", text=r"convert_hf_to_gguf"),
            because("quant-set", "likely", text=r"loaded_weight\.shape", near=_FOUR_BIT),
            because(
                "shape-mismatch",
                "possible",
                text=r"param_data\.shape == loaded_weight\.shape|param\.size\(\) == loaded_weight\.size\(\)|loaded_weight\.shape",
            ),
        ),
        (
            Example("    assert loaded_weight.shape[output_dim] == self.org_vocab_size\nAssertionError", "vocab-rows"),
            Example(
                '  File "vllm/model_executor/layers/vocab_parallel_embedding.py", line 3, in weight_loader\nAssertionError',
                "vocab-rows",
            ),
            Example(
                '  File "vllm/model_executor/parameter.py", line 3, in load_qkv_weight\nAssertionError', "dims-wrong"
            ),
            Example('  File "convert_hf_to_gguf.py", line 3, in modify_tensors\nAssertionError', "mtp-promised"),
        ),
        phase="load",
    ),
    Entry(
        (
            "assert loaded_weight.shape[output_dim] == self.org_vocab_size",
            "loaded_weight.shape[output_dim] == self.org_vocab_size",
        ),
        (because("vocab-rows", "likely"), because("head-flattened")),
        (Example("AssertionError: assert loaded_weight.shape[output_dim] == self.org_vocab_size", "vocab-rows"),),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("assert param_data.shape == loaded_weight.shape", "param_data.shape == loaded_weight.shape"),
        (
            because("quant-set", "likely", text=_FOUR_BIT),
            because("quant-set"),
            because("shape-mismatch"),
            because("duplicate-tensor"),
        ),
        (Example("assert param_data.shape == loaded_weight.shape", "quant-set"),),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("start (<n>) + length (<n>) exceeds dimension size (<n>)",),
        (because("dims-wrong", "likely"), because("transposed"), because("rank-shard")),
        (Example("RuntimeError: start (0) + length (4096) exceeds dimension size (2048).", "dims-wrong"),),
        engine="vllm",
        phase="load",
    ),
    Entry(
        (
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
            "IndexError: Dimension out of range",
        ),
        (
            because("expert-layout", "likely", text=r"experts|transpose|0-D scale|fused_moe"),
            because("flattened", "likely"),
            because("quant-layout"),
            because("expert-layout"),
        ),
        (
            Example("IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)", "flattened"),
            Example(
                '  File "vllm/model_executor/layers/fused_moe/layer.py", line 5, in weight_loader\n    loaded_weight = loaded_weight.transpose(0, 1)\nIndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)',
                "expert-layout",
            ),
        ),
        phase="load",
    ),
    Entry(
        ("was skipped because it is tied to <..> was not found",),
        (because("head-missing", "likely"), because("nesting-prefix")),
        (
            Example(
                "ValueError: lm_head.weight was skipped because it is tied to model.embed_tokens.weight, but model.embed_tokens.weight was not found",
                "head-missing",
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        (
            "Model architectures <list> are not supported for now",
            "was supported in vLLM until v<..>",
            "failed to be inspected",
            "has no vLLM implementation",
        ),
        (because("engine-removed", "likely"), because("wrong-class")),
        (
            Example(
                "ValueError: Model architectures ['Qwen9ForCausalLM'] are not supported for now. Supported architectures: dict_keys([])",
                "engine-removed",
            ),
            Example(
                "ValueError: Model architecture InternLMForCausalLM was supported in vLLM until v0.23.0, and is not supported anymore.",
                "engine-removed",
            ),
        ),
        engine="vllm",
        phase="config",
    ),
    Entry(
        (
            "Total number of attention heads (<n>) must be divisible by tensor parallel size (<n>)",
            "must be divisible by tensor parallel size",
            "num_attention_heads <..>divisible",
            "<n> is not divisible by <n>",
            "kv_heads <..>divisible",
        ),
        (
            because("tp-heads", "likely", text=r"tensor parallel|AssertionError|vllm|sglang|attention heads"),
            because("tp-heads", "possible"),
        ),
        (
            Example(
                "ValueError: Total number of attention heads (14) must be divisible by tensor parallel size (4).",
                "tp-heads",
            ),
            Example("AssertionError: 14 is not divisible by 4", "tp-heads"),
        ),
        phase="config",
    ),
    Entry(
        ("Pipeline parallelism is not supported for this model", "does not support pipeline parallel"),
        (because("engine-mapping", "likely"),),
        (
            Example(
                "NotImplementedError: Pipeline parallelism is not supported for this model. Supported models implement the `SupportsPP` interface.",
                "engine-mapping",
            ),
        ),
        engine="vllm",
        phase="config",
    ),
    Entry(
        (
            "size is not aligned with the quantized weight shape",
            "is not divisible by weight quantization <block_n|block_k>",
            "is not divisible by min_thread_<k|n>",
            "not divisible by <min_thread_k|min_thread_n|group_size>",
            "size_k must divisible by BLOCK_SIZE_K",
            "can be caused by too large tensor parallel size",
        ),
        (because("tp-quant", "likely"), because("quant-set"), because("group-size")),
        (
            Example(
                "ValueError: The input size is not aligned with the quantized weight shape. This can be caused by too large tensor parallel size.",
                "tp-quant",
            ),
            Example(
                "ValueError: Weight input_size_per_partition = 192 is not divisible by weight quantization block_k = 128.",
                "tp-quant",
            ),
            Example(
                "ValueError: The output_size of gate's and up's weight = 80 is not divisible by weight quantization block_n = 128.",
                "tp-quant",
            ),
            Example("RuntimeError: size_k must divisible by BLOCK_SIZE_K", "tp-quant"),
            Example(
                "ValueError: Weight output_size_per_partition = 32 is not divisible by  min_thread_n = 64. Consider reducing tensor_parallel_size or running with --quantization gptq.",
                "tp-quant",
            ),
        ),
        phase="build",
    ),
    Entry(
        ("is not divisible by tile_n_size = <n>",),
        (because("quant-set", "likely"), because("tp-quant")),
        (Example("RuntimeError: size_n = 8608 is not divisible by tile_n_size = 64", "quant-set"),),
        phase="load",
    ),
    Entry(
        ("Detected some but not all shards of <name> are quantized",),
        (
            because("absent-v", "likely", text=r"(?i)gemma-?4|k_eq_v"),
            because("quant-set", "likely"),
            because("absent-v"),
        ),
        (
            Example(
                "ValueError: Detected some but not all shards of model.layers.3.self_attn.qkv_proj are quantized. All shards of fused layers to have the same precision.",
                "quant-set",
            ),
        ),
        engine="vllm",
        phase="build",
    ),
    Entry(
        (
            "Quantization method specified in the model config (<word>) does not match the quantization method specified in the `quantization` argument (<word>)",
        ),
        (because("quant-layout", "likely"), because("quant-config-stale"), because("quant-config-missing")),
        (
            Example(
                "ValueError: Quantization method specified in the model config (fp8) does not match the quantization method specified in the `quantization` argument (gguf).",
                "quant-layout",
            ),
        ),
        engine="vllm",
        phase="config",
    ),
    Entry(
        (
            "Unknown quantization type",
            "Unknown quantization method",
            "Unsupported quantization method",
            "Invalid quantization method",
        ),
        (because("reader-too-old", "likely"), because("quant-config-stale")),
        (Example("ValueError: Unknown quantization method: foo. Must be one of ['awq']", "reader-too-old"),),
        phase="config",
    ),
    Entry(
        ("Parameter <name> not found in params_dict",),
        (
            because("text-vs-vlm", "likely", name=r"visual|vision|language_model|audio"),
            because("mtp-unannounced", "likely", name=r"mtp|nextn"),
            because("quant-config-missing", "likely", name=r"scale|qweight|g_idx|zero_point"),
            because("expert-layout", "likely", name=r"experts"),
            because("nesting-prefix", "possible"),
            because("wrong-class", "possible"),
        ),
        (
            Example(
                "WARNING 11-02 12:00:00 [qwen2.py:448] Parameter visual.blocks.0.norm1.weight not found in params_dict, skip loading",
                "text-vs-vlm",
            ),
        ),
        phase="load",
    ),
    Entry(
        (
            "Using KV cache scaling factor 1.0",
            "k_scale is not loaded",
            "Found <..>k_scale in the checkpoint",
            "Found <..>_scale in the checkpoint (e.g. <name>), but not found the expected name in the model",
            "not found the expected name in the model",
        ),
        (because("kv-scales", "likely"),),
        (
            Example(
                "WARNING Found k_scale in the checkpoint (e.g. model.layers.0.self_attn.k_proj.k_scale), but not found the expected name in the model (e.g. model.layers.0.self_attn.attn.k_scale). k_scale is not loaded.",
                "kv-scales",
            ),
            Example(
                "WARNING Using KV cache scaling factor 1.0 for fp8_e4m3. This may cause accuracy issues.", "kv-scales"
            ),
        ),
        engine="vllm",
        phase="load",
    ),
    Entry(
        (
            "Unexpected weight: <name>",
            "Unexpected weight <name>",
            "Expect quantized weights but got an unquantized weight",
            "got an unquantized weight",
        ),
        (
            because("quant-config-stale", "likely", text=r"unquantized weight"),
            because("quant-config-stale", "likely", name=r"\."),
            because("quant-set", "possible", name=r"\."),
        ),
        (
            Example("ValueError: Unexpected weight model.layers.0.mlp.up_proj.weight", "quant-config-stale"),
            Example("ValueError: Expect quantized weights but got an unquantized weight", "quant-config-stale"),
        ),
        phase="load",
    ),
    Entry(
        ("packed_modules_mapping",),
        (because("quant-set", "possible"), because("engine-renamed", "possible")),
        (Example("WARNING packed_modules_mapping is missing for this model", "quant-set"),),
        engine="vllm",
        phase="load",
    ),
    Entry(
        ("Missing required tensor(s) for <..> at prefix <name>",),
        (because("quant-set", "likely", name=r"lm_head"), because("quant-companion", "likely")),
        (Example("ValueError: Missing required tensor(s) for gptq_awq_linear at prefix lm_head", "quant-set"),),
        phase="load",
    ),
    Entry(
        (
            "Engine core initialization failed",
            "Failed core proc(s)",
            "WorkerProc initialization failed",
            "Scheduler hit an exception",
        ),
        (),
        (),
        wrapper=True,
    ),
    Entry(
        ("is not supported for the current GPU", "Minimum capability: <n>"),
        (because("hardware", "likely"),),
        (
            Example(
                "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89. Current capability: 80.",
                "hardware",
            ),
        ),
        phase="config",
    ),
)
