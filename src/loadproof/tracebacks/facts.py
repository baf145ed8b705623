"""Which engine, version and phase a log is from, and with which flags it was launched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_ENGINE_SIGNS: tuple[tuple[str, str, int], ...] = (
    ("vllm-ascend", r"vllm[_-]ascend|NPUModelRunner|NPUWorker", 6),
    ("vllm", r"\bvllm[/.]|\bvLLM\b|EngineCore|VllmWorker|vllm serve|\bVLLM_|Worker_TP\d|LLMEngine|AutoWeightsLoader", 5),
    ("sglang", r"\bsglang\b|srt/model|Scheduler hit an exception|SGLang", 5),
    ("llama.cpp", r"llama_model_load|llama\.cpp|convert_hf_to_gguf|llama_load_model|gguf_init|INFO:hf-to-gguf|"
                  r"create_tensor:|check_tensor_dims|llama_init|ggml_|llama-(?:server|cli)", 5),
    ("ollama", r"\bollama\b", 6),
    ("mlx-lm", r"\bmlx_lm\b|\bmlx_vlm\b|mlx\.core|mlx/nn|\bmlx-lm\b|parameters not in model|MLX", 5),
    ("tgi", r"text_generation_server|text-generation-(?:launcher|inference)", 6),
    ("tensorrt-llm", r"tensorrt_llm|TensorRT-LLM|trtllm|Required but not provided tensors", 6),
    ("lmdeploy", r"\blmdeploy\b|turbomind", 6),
    ("ktransformers", r"\bktransformers\b", 6),
    ("exllamav2", r"exllamav2|## Could not find", 6),
    ("mistral.rs", r"mistralrs|mistral\.rs", 6),
    ("mergekit", r"\bmergekit\b", 6),
    ("deepspeed", r"\bdeepspeed/|DeepSpeedEngine|zero_to_fp32|deepspeed\.(?:runtime|initialize)|\bZeRO-3\b|\bds_id\b", 3),
    ("fsdp", r"fully_sharded_data_parallel|_fsdp_wrapped_module|torch/distributed/fsdp|FlatParameter|\bFSDP\b|fsdp2?", 3),
    ("unsloth", r"\bunsloth\b|Unsloth", 4),
    ("bitsandbytes", r"\bbitsandbytes\b|\bbnb\b", 2),
    ("peft", r"\bpeft/|PeftModel|adapter_(?:model|config)|missing adapter keys|base_model\.model\.|lora_[AB]\b", 2),
    ("accelerate", r"\baccelerate/|accelerate launch", 2),
    ("safetensors", r"SafetensorError|safetensors_rust|safetensors/torch", 1),
    ("transformers", r"\btransformers/|modeling_utils|from_pretrained|LOAD REPORT|Some weights of|AutoModel|PreTrainedModel", 2),
    ("torch", r"torch/nn/|aten::|in state_dict|torch\.embedding|PytorchStreamReader", 1),
)  # fmt: skip
_SIGNS = tuple((name, re.compile(text), weight) for name, text, weight in _ENGINE_SIGNS)
_VERSION = (
    r"(?:\b{name}[ _-]?(?:engine|server|version|api server version)?\b[^\n\d]{{0,24}}?"
    r"(?:\(v|\bv|version:? ?|==|=|: |: v| ))(\d+\.\d+(?:\.\d+)?(?:[.+-]?[a-z]\w*)*)"
)
_PACKAGE = {"vllm": "vllm|vLLM|LLM engine|vLLM API server", "mlx-lm": "mlx[-_]lm", "llama.cpp": "llama\\.cpp|build",
            "tgi": "text-generation-\\w+", "tensorrt-llm": "tensorrt[-_]llm|TensorRT-LLM"}  # fmt: skip
_PHASES: tuple[tuple[str, str], ...] = (
    ("cache-init", r"initialize_kv_cache|initialize_from_config|get_attn_backends_for_group|get_kv_cache_spec|"
                   r"_initialize_kv_caches|kv_cache_config"),
    ("generate", r"generation/utils\.py|\bgenerate\b|_prefill|prepare_inputs|sample\(|compute_logits|profile_run|_dummy_run|"
                 r"execute_model|determine_available_memory|attn_metadata"),
    ("save", r"save_pretrained|save_file|save_model|state_dict_for_saving|merge_and_unload|Removed shared tensor|"
             r"while saving|Some tensors share memory"),
    ("convert", r"convert_hf_to_gguf|hf-to-gguf|Can not map tensor|convert_checkpoint|mergekit|mlx_lm[./]convert|export\.py"),
    ("load", r"load_weights|load_state_dict|load_model|from_pretrained|safe_open|weight_loader|LOAD REPORT|newly initialized|"
             r"error loading model|in state_dict|load_checkpoint"),
    ("config", r"configuration_\w+\.py|config\.py|AutoConfig|validate_layer_type|model type|get_config"),
    ("build", r"__init__.*modeling_|initialize_model|from_config"),
)  # fmt: skip
_PHASE = tuple((name, re.compile(text)) for name, text in _PHASES)
_FLAGS: tuple[tuple[str, str], ...] = (
    ("tp", r"(?:tensor[_-]parallel[_-]size|--tp(?:-size)?|\btp_size|tensor_model_parallel_size|\btp)[ =:'\"]+(\d+)"),
    ("pp", r"(?:pipeline[_-]parallel[_-]size|--pp(?:-size)?|\bpp_size|pipeline_model_parallel_size|\bpp)[ =:'\"]+(\d+)"),
    ("dp", r"(?:data[_-]parallel[_-]size|--dp(?:-size)?|\bdp_size)[ =:'\"]+(\d+)"),
    ("ep", r"(?:expert[_-]parallel[_-]size|--ep(?:-size)?|\bep_size)[ =:'\"]+(\d+)"),
    ("executor", r"distributed[_-]executor[_-]backend[ =:'\"]+(ray|mp|uni|external_launcher)"),
    ("quantization", r"--quantization[ =]'?\"?([\w-]+)|\bquantization=['\"]?([\w-]+)"),
    ("dtype", r"--dtype[ =](\w+)|\b(?:torch_)?dtype=(?:torch\.)?(\w+)"),
    ("load_format", r"load[_-]format[ =:'\"]+(?:LoadFormat\.)?(\w+)"),
    ("zero_stage", r"zero_optimization.{0,40}?stage['\"]?\s*[:=]\s*(\d)|zero_stage[ =:'\"]+(\d)|ZeRO[- ](?:stage )?(\d)|\bzero(3)\b"),
    ("layers", r"num_hidden_layers['\"]?[ =:]+(\d+)"),
    ("speculative", r"speculative[_-](?:config|model)[ =:'\"]+(?!None)(\{?['\"]?[\w-]+)"),
)  # fmt: skip
_FLAG = tuple((name, re.compile(text, re.IGNORECASE if name == "zero_stage" else 0)) for name, text in _FLAGS)
_MODEL = re.compile(r"(?:\bmodel(?:_path|-path)?=|--model(?:-path)?[ =]|LOAD REPORT from: |model checkpoint at )['\"]?([\w./@:~-]+)")


def find_engine(lines: Sequence[str], frames: Sequence[str]) -> str | None:
    """The engine or library the error comes from; the most specific of those that left signs, innermost frames first."""
    text = "\n".join((*lines, *frames))
    found = [(weight, -at, name) for at, (name, sign, weight) in enumerate(_SIGNS) if sign.search(text)]
    return max(found)[2] if found else None


def find_version(engine: str | None, text: str) -> str | None:
    """The version of the engine, where the log prints it."""
    if engine is None:
        return None
    names = _PACKAGE.get(engine, re.escape(engine))
    found = re.search(_VERSION.format(name=f"(?:{names})"), text)
    return found[1] if found else None


def find_phase(message: str, frames: Sequence[str]) -> str | None:
    """What was going on: the innermost frame that tells, else the message."""
    for frame in reversed(frames):
        for name, pattern in _PHASE:
            if pattern.search(frame):
                return name
    return next((name for name, pattern in _PHASE if pattern.search(message)), None)


def find_run(text: str) -> dict[str, Any]:
    """Launch facts: tp, pp, dp, ep, executor, quantization, dtype, load_format, zero_stage, ray, fsdp, model ..."""
    run: dict[str, Any] = {}
    for name, pattern in _FLAG:
        found = pattern.search(text)
        if found:
            value = next(group for group in found.groups() if group is not None)
            if value not in ("None", "auto"):
                run[name] = int(value) if value.isdigit() else value
    _add_signs(run, text)
    model = _MODEL.search(text)
    if model:
        run["model"] = model[1]
    return run


def _add_signs(run: dict[str, Any], text: str) -> None:
    if "executor" not in run and re.search(r"RayWorkerWrapper|RayDistributedExecutor|ray_executor|\bray::", text):
        run["executor"] = "ray"
    if "zero_stage" not in run and re.search(r"\bds_id\b|\bds_shape\b|stage3_|GatheredParameters|partition_parameters", text):
        run["zero_stage"] = 3
    if re.search(r"_fsdp_wrapped_module|FullyShardedDataParallel|fully_sharded_data_parallel|fsdp_config|\bFSDP2?\b", text):
        run["fsdp"] = True
    if re.search(r"PeftModel|peft/", text):
        run["peft"] = True
