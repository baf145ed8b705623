"""By what a log betrays its engine, its version, the phase it was in and the flags it was launched with."""

from __future__ import annotations

# name, regular expression, weight: the heaviest engine wins, so host programs and forks weigh more than libraries
ENGINES: tuple[tuple[str, str, int], ...] = (
    ("vllm-ascend", r"vllm[_-]ascend|NPUModelRunner|NPUWorker", 6),
    (
        "vllm",
        r"\bvllm[/.]|\bvLLM\b|EngineCore|VllmWorker|vllm serve|\bVLLM_|Worker_TP\d|LLMEngine|AutoWeightsLoader",
        5,
    ),
    ("sglang", r"\bsglang\b|srt/model|Scheduler hit an exception|SGLang", 5),
    (
        "llama.cpp",
        r"llama_model_load|llama\.cpp|convert_hf_to_gguf|llama_load_model|gguf_init|INFO:hf-to-gguf|"
        r"create_tensor:|check_tensor_dims|llama_init|ggml_|llama-(?:server|cli)",
        5,
    ),
    ("ollama", r"\bollama\b", 6),
    ("mlx-lm", r"\bmlx_lm\b|\bmlx_vlm\b|mlx\.core|mlx/nn|\bmlx-lm\b|parameters not in model|MLX", 5),
    ("tgi", r"text_generation_server|text-generation-(?:launcher|inference)", 6),
    ("tensorrt-llm", r"tensorrt_llm|TensorRT-LLM|trtllm|Required but not provided tensors", 6),
    ("lmdeploy", r"\blmdeploy\b|turbomind", 6),
    ("ktransformers", r"\bktransformers\b", 6),
    ("exllamav2", r"exllamav2|## Could not find", 6),
    ("mistral.rs", r"mistralrs|mistral\.rs", 6),
    ("mergekit", r"\bmergekit\b", 6),
    (
        "deepspeed",
        r"\bdeepspeed/|DeepSpeedEngine|zero_to_fp32|deepspeed\.(?:runtime|initialize)|\bZeRO-3\b|\bds_id\b",
        3,
    ),
    (
        "fsdp",
        r"fully_sharded_data_parallel|_fsdp_wrapped_module|torch/distributed/fsdp|FlatParameter|\bFSDP\b|fsdp2?",
        3,
    ),
    ("lm-studio", r"LM ?Studio|LMSInternal|lmstudio", 6),
    ("diffusers", r"\bdiffusers/|\bdiffusers\.|DiffusionPipeline", 4),
    ("torchtune", r"\btorchtune/", 4),
    ("mlx-vlm", r"\bmlx_vlm\b|\bmlx-vlm\b", 6),
    ("unsloth", r"\bunsloth\b|Unsloth", 4),
    ("bitsandbytes", r"\bbitsandbytes\b|\bbnb\b", 2),
    ("peft", r"\bpeft/|PeftModel|adapter_(?:model|config)|missing adapter keys|base_model\.model\.|lora_[AB]\b", 2),
    ("accelerate", r"\baccelerate/|accelerate launch", 2),
    ("safetensors", r"SafetensorError|safetensors_rust|safetensors/torch", 1),
    (
        "transformers",
        r"\btransformers/|modeling_utils|from_pretrained|LOAD REPORT|Some weights of|AutoModel|PreTrainedModel",
        2,
    ),
    ("torch", r"torch/nn/|aten::|in state_dict|torch\.embedding|PytorchStreamReader", 1),
)
# what an engine calls itself where it prints its version
PACKAGES: dict[str, str] = {
    "vllm": "vllm|vLLM|LLM engine|vLLM API server",
    "mlx-lm": "mlx[-_]lm",
    "llama.cpp": "llama\\.cpp|build",
    "tgi": "text-generation-\\w+",
    "tensorrt-llm": "tensorrt[-_]llm|TensorRT-LLM",
}
# searched in stack frames from the innermost outwards, then in the message
PHASES: tuple[tuple[str, str], ...] = (
    (
        "cache-init",
        r"initialize_kv_cache|initialize_from_config|get_attn_backends_for_group|get_kv_cache_spec|"
        r"_initialize_kv_caches|kv_cache_config",
    ),
    (
        "generate",
        r"generation/utils\.py|\bgenerate\b|_prefill|prepare_inputs|sample\(|compute_logits|profile_run|_dummy_run|"
        r"execute_model|determine_available_memory|attn_metadata",
    ),
    (
        "save",
        r"save_pretrained|save_file|save_model|state_dict_for_saving|merge_and_unload|Removed shared tensor|"
        r"while saving|Some tensors share memory",
    ),
    (
        "convert",
        r"convert_hf_to_gguf|hf-to-gguf|Can not map tensor|convert_checkpoint|mergekit|mlx_lm[./]convert|export\.py",
    ),
    (
        "load",
        r"load_weights|load_state_dict|load_model|from_pretrained|safe_open|weight_loader|LOAD REPORT|newly initialized|"
        r"error loading model|in state_dict|load_checkpoint",
    ),
    ("config", r"configuration_\w+\.py|config\.py|AutoConfig|validate_layer_type|model type|get_config"),
    ("build", r"__init__.*modeling_|initialize_model|from_config"),
)
FLAGS: tuple[tuple[str, str], ...] = (
    ("tp", r"(?:tensor[_-]parallel[_-]size|--tp(?:-size)?|\btp_size|tensor_model_parallel_size|\btp)[ =:'\"]+(\d+)"),
    (
        "pp",
        r"(?:pipeline[_-]parallel[_-]size|--pp(?:-size)?|\bpp_size|pipeline_model_parallel_size|\bpp)[ =:'\"]+(\d+)",
    ),
    ("dp", r"(?:data[_-]parallel[_-]size|--dp(?:-size)?|\bdp_size)[ =:'\"]+(\d+)"),
    ("ep", r"(?:expert[_-]parallel[_-]size|--ep(?:-size)?|\bep_size)[ =:'\"]+(\d+)"),
    ("executor", r"distributed[_-]executor[_-]backend[ =:'\"]+(ray|mp|uni|external_launcher)"),
    ("quantization", r"--quantization[ =]'?\"?([\w-]+)|\bquantization=['\"]?([\w-]+)"),
    ("dtype", r"--dtype[ =](\w+)|\b(?:torch_)?dtype=(?:torch\.)?(\w+)"),
    ("load_format", r"load[_-]format[ =:'\"]+(?:LoadFormat\.)?(\w+)"),
    (
        "zero_stage",
        r"zero_optimization.{0,40}?stage['\"]?\s*[:=]\s*(\d)|zero_stage[ =:'\"]+(\d)|ZeRO[- ](?:stage )?(\d)|\bzero(3)\b",
    ),
    ("layers", r"num_hidden_layers['\"]?[ =:]+(\d+)"),
    ("speculative", r"speculative[_-](?:config|model)[ =:'\"]+(?!None)(\{?['\"]?[\w-]+)"),
)
# exceptions that only report that another process or layer failed
WRAPPERS = (
    r"[Ee]ngine core initialization failed|Engine process failed|Failed core proc|RayTaskError|ChildFailedError|"
    r"CalledProcessError|ProcessRaisedException|EngineDeadError|Engine loop has died|EngineGenerateError|WorkerProc initialization failed|"
    r"Worker failed with error|Cancelled|CancelledError|KeyboardInterrupt|SystemExit|Exception in worker|died unexpectedly|"
    r"RemoteDisconnected|ConnectionRefused|Connection reset|BrokenPipe|EOFError|ActorDiedError|RayActorError|NCCL|DistBackendError|"
    r"ResourceWarning|DeprecationWarning|FutureWarning"
)
