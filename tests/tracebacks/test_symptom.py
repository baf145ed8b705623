"""From a log to what failed: the root exception, the engine, the phase, names, sizes and flags."""

from __future__ import annotations

from loadproof.core.symptom import Symptom
from loadproof.tracebacks import read_symptom

VLLM = """\
(APIServer pid=1) INFO 11-02 12:00:00 [api_server.py:1839] vLLM API server version 0.19.1
(EngineCore_DP0 pid=7) INFO 11-02 12:00:01 [core.py:77] Initializing a V1 LLM engine (v0.19.1) with config: \
model='/m', tensor_parallel_size=2, pipeline_parallel_size=3, distributed_executor_backend=ray, quantization=None
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800] Traceback (most recent call last):
(APIServer pid=1) INFO 11-02 12:01:01 [x.py:1] waiting
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800]   File "/usr/lib/vllm/v1/engine/core.py", line 791, in run
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800]     engine_core = EngineCoreProc(*args, **kwargs)
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800]   File "/usr/lib/vllm/v1/worker/utils.py", line 49, in \
get_attn_backends_for_group
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800]     attn_backend = layers[layer_name].get_attn_backend()
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800]                    ~~~~~~^^^^^^^^^^^^
(EngineCore_DP0 pid=7) ERROR 11-02 12:01:01 [core.py:800] KeyError: 'language_model.model.layers.20.linear_attn'
(APIServer pid=1) Traceback (most recent call last):
(APIServer pid=1)   File "/usr/bin/vllm", line 8, in <module>
(APIServer pid=1)     sys.exit(main())
(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""


def read(text: str) -> Symptom:
    return read_symptom(text.splitlines())


def test_the_root_exception_is_taken_not_the_last_wrapper() -> None:
    symptom = read(VLLM)
    assert symptom.exception == "KeyError"
    assert symptom.message == "KeyError: 'language_model.model.layers.20.linear_attn'"
    assert symptom.names == ("language_model.model.layers.20.linear_attn",)


def test_engine_version_phase_and_flags_are_read() -> None:
    symptom = read(VLLM)
    assert (symptom.engine, symptom.engine_version, symptom.phase) == ("vllm", "0.19.1", "cache-init")
    assert symptom.run == {"tp": 2, "pp": 3, "executor": "ray", "model": "/m"}


def test_frames_are_those_of_the_root_exception() -> None:
    frames = read(VLLM).frames
    assert frames[-1].endswith("utils.py:49 get_attn_backends_for_group")
    assert len(frames) == 2


def test_interleaved_ranks_keep_their_own_tracebacks() -> None:
    text = """\
[rank0]: Traceback (most recent call last):
[rank1]: Traceback (most recent call last):
[rank0]:   File "a.py", line 1, in f
[rank1]:   File "b.py", line 2, in g
[rank0]: ValueError: There is no module or parameter named '_orig_mod' in X
[rank1]: torch.distributed.DistBackendError: NCCL error in: foo"""
    symptom = read(text)
    assert symptom.exception == "ValueError"
    assert symptom.frames == ("a.py:1 f",)


def test_the_first_of_a_chain_is_the_root_when_nothing_is_recognised() -> None:
    text = """\
Traceback (most recent call last):
  File "a.py", line 1, in f
NameError: name 'x' is not defined

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "b.py", line 2, in g
RuntimeError: loading failed"""
    assert read(text).exception == "NameError"


def test_the_recognised_one_of_a_chain_is_the_root() -> None:
    text = """\
Traceback (most recent call last):
  File "transformers/utils/hub.py", line 1, in cached_file
FileNotFoundError: nothing cached

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "transformers/modeling_utils.py", line 2, in from_pretrained
OSError: Error no file named model.safetensors, or pytorch_model.bin, found in directory /x"""
    assert read(text).message.startswith("OSError: Error no file named")


def test_ray_tracebacks_without_a_header_are_read() -> None:
    text = """\
ray.exceptions.RayTaskError(KeyError): ray::RayWorkerWrapper.execute_method() (pid=1, ip=10.0.0.1)
  File "/usr/lib/vllm/worker.py", line 1, in execute_method
    return run(method)
KeyError: 'model.layers.21.self_attn.attn'"""
    symptom = read(text)
    assert (symptom.exception, symptom.run["executor"]) == ("KeyError", "ray")


def test_notebook_tracebacks_are_read() -> None:
    text = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 1
----> 1 model.generate(ids)

File ~/venv/lib/python3.12/site-packages/torch/nn/functional.py:2551, in embedding(input, weight)
   2549     no_grad_embedding_renorm_(weight, input)
-> 2551 return torch.embedding(weight, input, padding_idx)

RuntimeError: 'weight' must be 2-D"""
    symptom = read(text)
    assert symptom.message == "RuntimeError: 'weight' must be 2-D"
    assert symptom.frames == ("~/venv/lib/python3.12/site-packages/torch/nn/functional.py:2551 embedding",)


def test_rust_causes_are_statements() -> None:
    text = "Error: could not load model\n\nCaused by:\n    0: loading shard\n    1: cannot find tensor lm_head.weight"
    assert "cannot find tensor lm_head.weight" in read(text).lines


def test_a_message_of_many_lines_belongs_to_its_exception() -> None:
    text = """\
Traceback (most recent call last):
  File "a.py", line 1, in f
RuntimeError: Error(s) in loading state_dict for LlamaForCausalLM:
\tMissing key(s) in state_dict: "lm_head.weight".
\tsize mismatch for model.norm.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in \
current model is torch.Size([64])."""
    symptom = read(text)
    assert "size mismatch" in symptom.message
    assert symptom.missing == ("lm_head.weight",)
    assert [(row.name, row.stored, row.wanted) for row in symptom.mismatched] == [("model.norm.weight", (0,), (64,))]


def test_flags_of_other_launchers_are_read() -> None:
    run = read(
        "python -m sglang.launch_server --model-path /m --tp 4 --quantization fp8 --dtype bfloat16\nKeyError: 'x.y'"
    ).run
    assert (run["tp"], run["quantization"], run["dtype"], run["model"]) == (4, "fp8", "bfloat16", "/m")
    assert read('{"zero_optimization": {"stage": 3}}\nRuntimeError: x').run["zero_stage"] == 3


def test_nothing_in_is_nothing_out() -> None:
    assert read("") == Symptom()


def test_terminal_escapes_do_not_reach_the_symptom() -> None:
    symptom = read("\x1b[31mKeyError: 'model.\x1b[0mlayers.0.x\x1b]0;evil\x07'")
    assert "\x1b" not in symptom.message
    assert "\x07" not in symptom.message
