"""Errors that have nothing to do with a checkpoint are not explained with confidence; most are not recognised at all."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom

UNKNOWN = [
    "KeyError: 'user_id'", "KeyError: 'model'", "KeyError: 0", "KeyError: 'labels'", "KeyError: ('a', 'b')", "KeyError: 'step_1'",
    "KeyError: 'data.train.path'", "KeyError: 'https://x.y/z'", "KeyError: 'phi'", "KeyError: 'cmpl-1234'",
    "IndexError: list index out of range", "AssertionError", "AttributeError: 'DictConfig' object has no attribute 'x'",
    "AttributeError: 'NoneType' object has no attribute 'keys'", "TypeError: forward() got an unexpected keyword argument 'foo'",
    "ValueError: too many values to unpack (expected 2)", "RuntimeError: CUDA error: an illegal memory access was encountered",
    "torch.OutOfMemoryError: CUDA out of memory.", "ModuleNotFoundError: No module named 'foo'", "TimeoutError",
    "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://huggingface.co/x",
    "OSError: [Errno 28] No space left on device", "PermissionError: [Errno 13] Permission denied: '/x'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", "Unexpected weight gain", "npm ERR! missing script: build",
    "RuntimeError: Expected all tensors to be on the same device", "ValueError: Input contains NaN", "ERROR: file not found",
    "model.fit failed: weights not initialized", "pip: error: unknown option",
]  # fmt: skip
AMBIGUOUS = [
    "RuntimeError: The size of tensor a (512) must match the size of tensor b (600) at non-singleton dimension 1",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
    "RuntimeError: shape '[2, 3]' is invalid for input of size 7",
    "json.decoder.JSONDecodeError: Extra data",
    "EOFError: Ran out of input",
    "ValueError: 3 is not divisible by 2",
    "vocab size mismatch in my game",
    "The header too large for the http request",
    "KeyError: 'foo.bar.weight'",
    'RuntimeError: Error(s) in loading state_dict for ResNet:\n\tMissing key(s) in state_dict: "conv1.weight", "bn1.weight". ',
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_it_is_not_recognised(text: str) -> None:
    assert candidates(read_symptom(text.split("\n"))) == ()


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_it_is_at_most_possible(text: str) -> None:
    assert {cause.confidence for cause in candidates(read_symptom(text.split("\n")))} <= {"possible"}
