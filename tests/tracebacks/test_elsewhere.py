"""Errors that no checkpoint causes are answered as such: never a cause, and never "not recognised"."""

from __future__ import annotations

import pytest

from loadproof.cli.explain import main
from loadproof.tracebacks import candidates, read_symptom

NEGATIVES = {
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.": "out of memory",
    "ValueError: Free memory on device (3.2/4.0 GiB) on startup is less than desired": "out of memory",
    "RuntimeError：CUDA out of memory，显存不够": "out of memory",
    "OSError: [Errno 28] No space left on device": "the disk or file system",
    "safetensors_rust.SafetensorError: Error while serializing: I/O error: Invalid argument (os error 22)": "the disk",
    "PermissionError: [Errno 13] Permission denied: '/m/model.safetensors'": "the disk or file system",
    "OSError: We couldn’t connect to ‘https://huggingface.co’ to load this file": "the network or the hub",
    "requests.exceptions.ConnectionError: Max retries exceeded with url: /api/models/x": "the network or the hub",
    "huggingface_hub.errors.GatedRepoError: 403 Client Error.": "the network or the hub",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device": "the driver",
    "ImportError: /x/flash_attn_2_cuda.so: undefined symbol: _ZN2at4": "the driver",
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1": "communication",
    "TimeoutError: RPC call to load_model timed out.": "communication",
    "ModuleNotFoundError: No module named 'foo'": "an installed package",
    "ImportError: cannot import name 'x' from 'swift.llm.utils'": "an installed package",
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices": "tensors on different",
    "NotImplementedError: BPE pre-tokenizer was not recognized - update get_vocab_base_pre()": "the tokenizer",
    "KeyError: 'build_config'": "the program that was started",
}
CAUSES = {
    "KeyError: 'model.layers.0.out_of_memory.weight'": "a tensor whose name sounds like it",
    "safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer": "a cut file",
    "ModuleNotFoundError: No module named 'transformers_modules.x'": "code of the checkpoint itself",
    "FileNotFoundError: No such file or directory: '/m/model-00001-of-00004.safetensors'": "a missing shard",
}


@pytest.mark.parametrize("text", NEGATIVES)
def test_it_is_no_checkpoint_problem(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    symptom = read_symptom([text])
    assert symptom.elsewhere.startswith(NEGATIVES[text])
    assert candidates(symptom) == ()
    assert main([text]) == 0
    assert "not a checkpoint problem: " in capsys.readouterr().out


@pytest.mark.parametrize("text", CAUSES)
def test_a_cause_in_the_files_stays_one(text: str) -> None:
    symptom = read_symptom([text])
    assert symptom.elsewhere == ""
    assert candidates(symptom)


def test_the_error_counts_and_not_a_warning_before_it() -> None:
    warned = [
        "W1102 NCCL error: retrying, connection closed",
        "KeyError: 'model.layers.3.mlp.down_proj.weight_scale_inv'",
    ]
    assert read_symptom(warned).elsewhere == ""


def test_an_unused_pooler_is_harmless() -> None:
    lines = [
        "Some weights of the model checkpoint at x were not used when initializing M: ['roberta.pooler.dense.bias']"
    ]
    assert read_symptom(lines).elsewhere.startswith("unused tensors")
