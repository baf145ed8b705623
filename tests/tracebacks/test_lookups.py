"""The same KeyError means opposite things: the file lacks the name, or the model has no such parameter."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom
from loadproof.tracebacks.lookups import asked

SCALE = "KeyError: 'model.layers.0.mlp.down_proj.weight_scale_inv'"


@pytest.mark.parametrize(
    ("lines", "side", "first"),
    [
        ('  File "/vllm/model_executor/models/llama.py", line 4, in load_weights', "model", "LP601"),
        ('  File "/sglang/srt/models/llama.py", line 4, in load_weights', "model", "LP601"),
        ('  File "/tensorrt_llm/_torch/modules/linear.py", line 5, in load_weights', "file", "LP602"),
        ('  File "/lmdeploy/turbomind/deploy/parameter.py", line 22, in take', "file", "LP602"),
        ('  File "/x/load.py", line 9, in load\n    param = params_dict[name]', "model", "LP601"),
        ('  File "/x/load.py", line 9, in load\n    value = state_dict[name]', "file", "LP602"),
        ('  File "/x/load.py", line 9, in load\n    value = file.get_tensor(name)', "file", "LP602"),
        # the line that raised says more than the engine
        ('  File "/vllm/model_executor/x.py", line 9, in load\n    value = state_dict[name]', "file", "LP602"),
    ],
)
def test_the_code_that_raised_or_the_engine_tells_who_lacks_the_name(lines: str, side: str, first: str) -> None:
    symptom = read_symptom(["Traceback (most recent call last):", *lines.split("\n"), SCALE])
    assert asked(symptom) == side
    assert candidates(symptom)[0].code == first


def test_where_nothing_tells_the_model_is_meant() -> None:
    symptom = read_symptom([SCALE])
    assert asked(symptom) == ""
    assert candidates(symptom)[0].code == "LP601"
