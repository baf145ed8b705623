"""Logs as launchers, servers, notebooks and converters print them: engine, phase and first cause."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom

VLLM_PYDANTIC = """\
(APIServer pid=100) INFO 11-02 12:00:00 [api_server.py:1839] vLLM API server version 0.11.0
(APIServer pid=100) Traceback (most recent call last):
(APIServer pid=100)   File "/usr/local/bin/vllm", line 7, in <module>
(APIServer pid=100)     sys.exit(main())
(APIServer pid=100)   File "/usr/local/lib/python3.12/dist-packages/vllm/config/model.py", line 7, in __post_init__
(APIServer pid=100) pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig
(APIServer pid=100)   Value error, The checkpoint you are trying to load has model type `qwen3_5` but Transformers does not recognize this architecture. This could be because of an issue with the checkpoint, or because your version of Transformers is out of date. [type=value_error, input_value=ArgsKwargs((), {'model': '/m'}), input_type=ArgsKwargs]
(APIServer pid=100)     For further information visit https://errors.pydantic.dev/2.11/v/value_error
"""
SGLANG = """\
[2025-11-02 12:00:00] server_args=ServerArgs(model_path='/m', tp_size=4, pp_size=1, quantization='fp8')
[2025-11-02 12:00:30 TP2] Scheduler hit an exception: Traceback (most recent call last):
  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2500, in run_scheduler_process
    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank)
  File "/sgl-workspace/sglang/python/sglang/srt/models/qwen2_moe.py", line 700, in load_weights
    param = params_dict[name]
            ~~~~~~~~~~~^^^^^^
KeyError: 'model.layers.3.mlp.down_proj.weight_scale_inv'

[2025-11-02 12:00:30] Received sigquit from a child process. It usually means the child failed.
"""
TGI = r"""{"timestamp":"2024-05-01T12:00:00.000000Z","level":"ERROR","fields":{"message":"Error when initializing model\nTraceback (most recent call last):\n  File \"/opt/conda/lib/python3.10/site-packages/text_generation_server/utils/weights.py\", line 80, in get_filename\n    raise RuntimeError(f\"weight {tensor_name} does not exist\")\nRuntimeError: weight lm_head.weight does not exist\n"},"target":"text_generation_launcher"}
"""
LLAMACPP = """\
llama_model_loader: loaded meta data with 38 key-value pairs and 866 tensors from /m/q.gguf (version GGUF V3 (latest))
load_tensors: loading model tensors, this can take a while... (mmap = true)
llama_model_load: error loading model: missing tensor 'blk.40.ssm_conv1d.weight'
llama_model_load_from_file_impl: failed to load model
common_init_from_params: failed to load model '/m/q.gguf'
main: error: unable to load model
"""
CONVERT = """\
INFO:hf-to-gguf:Loading model: m
INFO:gguf.gguf_writer:gguf: This GGUF file is for Little Endian only
INFO:hf-to-gguf:Exporting model...
INFO:hf-to-gguf:gguf: loading model part 'model.safetensors'
Traceback (most recent call last):
  File "/llama.cpp/convert_hf_to_gguf.py", line 9000, in <module>
    main()
  File "/llama.cpp/convert_hf_to_gguf.py", line 250, in map_tensor_name
    raise ValueError(f"Can not map tensor {name!r}")
ValueError: Can not map tensor 'model.layers.0.mlp.down_proj.weight.absmax'
"""
MLX = """\
Traceback (most recent call last):
  File "/opt/homebrew/bin/mlx_lm.generate", line 8, in <module>
    sys.exit(main())
  File "/opt/homebrew/lib/python3.12/site-packages/mlx_lm/utils.py", line 200, in load_model
    model.load_weights(list(weights.items()), strict=strict)
  File "/opt/homebrew/lib/python3.12/site-packages/mlx/nn/layers/base.py", line 180, in load_weights
    raise ValueError(
ValueError: Received 3 parameters not in model:
lm_head.weight,
model.layers.0.self_attn.rotary_emb.inv_freq,
model.layers.1.self_attn.rotary_emb.inv_freq.
"""
RICH = """\
╭─────────────────────────────── Traceback (most recent call last) ────────────────────────────────╮
│ /root/train.py:88 in <module>                                                                    │
│                                                                                                  │
│   85 model.train()                                                                               │
│ ❱ 88 out = model.generate(ids)                                                                   │
│                                                                                                  │
│ /root/miniconda3/lib/python3.10/site-packages/deepspeed/runtime/engine.py:1800 in forward        │
│ /root/miniconda3/lib/python3.10/site-packages/torch/nn/functional.py:2210 in embedding           │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
RuntimeError: 'weight' must be 2-D
"""
ELASTIC = """\
[rank0]: Traceback (most recent call last):
[rank0]:   File "/w/train.py", line 5, in <module>
[rank0]:     trainer.train(resume_from_checkpoint=True)
[rank0]:   File "/w/site-packages/transformers/trainer.py", line 2900, in _load_from_checkpoint
[rank0]: RuntimeError: Error(s) in loading state_dict for FullyShardedDataParallel:
[rank0]: 	size mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([32000, 4096]).
E1102 12:00:00.000000 140 torch/distributed/elastic/multiprocessing/api.py:833] failed (exitcode: 1) local_rank: 0 (pid: 9) of binary: /usr/bin/python
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
/w/train.py FAILED
"""
V4WARN = """\
Some weights of the model checkpoint at /m were not used when initializing Qwen2ForCausalLM: ['model.visual.blocks.0.attn.proj.bias', 'model.visual.blocks.0.attn.proj.weight', 'model.visual.merger.mlp.0.weight']
- This IS expected if you are initializing Qwen2ForCausalLM from the checkpoint of a model trained on another task or with another architecture (e.g. initializing a BertForSequenceClassification model from a BertForPreTraining model).
"""
PEFT = """\
/usr/lib/python3.10/site-packages/peft/peft_model.py:600: UserWarning: Found missing adapter keys while loading the checkpoint: ['base_model.model.model.language_model.layers.0.self_attn.q_proj.lora_A.default.weight', 'base_model.model.model.language_model.layers.0.self_attn.q_proj.lora_B.default.weight']
  warnings.warn(warn_message)
"""
RUST = """\
Error: DriverError

Caused by:
    0: failed to build model
    1: cannot find tensor model.layers.31.mlp.down_proj.weight
"""
DEEPSPEED = """\
AssertionError: {'id': 0, 'status': 'NOT_AVAILABLE', 'numel': 0, 'ds_numel': 131072000, 'shape': (0,), 'ds_shape': (32000, 4096)}
"""
PYTEST = """\
    def test_load():
>       model = AutoModelForCausalLM.from_pretrained(p)

tests/test_x.py:5:
E       OSError: Error no file named model.safetensors, or pytorch_model.bin, found in directory /x.
"""
SPAWN = """\
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "/x/spawn.py", line 90, in _wrap
    fn(i, *args)
  File "/x/vllm/model_loader.py", line 3, in load
KeyError: 'layers.0.block_sparse_moe.gate.qweight'
"""
TRTLLM = """\
[TRT-LLM] [W] Logger level already set
Traceback (most recent call last):
  File "/usr/local/lib/python3.10/dist-packages/tensorrt_llm/models/modeling_utils.py", line 700, in load
    raise RuntimeError(err_msg)
RuntimeError: Required but not provided tensors:{'lm_head.weight'}
"""
MERGEKIT = """\
  File "/x/mergekit/io/tasks.py", line 80, in execute
    raise RuntimeError(
RuntimeError: Tensor lm_head.weight required but not present in model /m
"""
OUT_OF_MEMORY = """\
WARNING 11-02 12:00:00 [kv_cache.py:86] Using KV cache scaling factor 1.0 for fp8_e4m3. If this is unintended, verify that k/v_scale scaling factors are properly set in the checkpoint.
Traceback (most recent call last):
  File "vllm/worker.py", line 1, in load
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.1 GiB
"""

LOGS = [
    (VLLM_PYDANTIC, "vllm", "config", "reader-too-old"),
    (SGLANG, "sglang", "load", "quant-config-missing"),
    (TGI, "tgi", "load", "tie-not-honoured"),
    (LLAMACPP, "llama.cpp", "load", "gguf-too-new"),
    (CONVERT, "llama.cpp", "convert", "packed-as-dense"),
    (MLX, "mlx-lm", "load", "tie-redundant"),
    (RICH, "deepspeed", None, "zero3-runtime"),
    (ELASTIC, "transformers", "load", "zero3-placeholders"),
    (V4WARN, "transformers", "load", "text-vs-vlm"),
    (PEFT, "peft", "load", "adapter-prefix"),
    (RUST, None, "load", "nesting-prefix"),
    (DEEPSPEED, "deepspeed", "load", "zero3-runtime"),
    (PYTEST, "transformers", "load", "no-weights"),
    (SPAWN, "vllm", None, "router-quantized"),
    (TRTLLM, "tensorrt-llm", "convert", "tie-not-honoured"),
    (MERGEKIT, "mergekit", "convert", "tie-not-honoured"),
]


@pytest.mark.parametrize(("log", "engine", "phase", "first"), LOGS)
def test_a_log_is_understood(log: str, engine: str | None, phase: str | None, first: str) -> None:
    symptom = read_symptom(log.splitlines())
    assert (symptom.engine, symptom.phase) == (engine, phase)
    assert candidates(symptom)[0].key == first


def test_a_warning_does_not_explain_an_error_that_no_checkpoint_causes() -> None:
    symptom = read_symptom(OUT_OF_MEMORY.splitlines())
    assert symptom.exception == "OutOfMemoryError"
    assert candidates(symptom) == ()
    assert symptom.elsewhere.startswith("out of memory: ")
