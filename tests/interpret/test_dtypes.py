"""The shape-only tensors have the dtypes of torch."""

from __future__ import annotations

from typing import Any

import pytest

from loadproof.core.device import Device
from loadproof.interpret.language import limits
from loadproof.interpret.shapes.namespaces import TORCH

pytestmark = pytest.mark.torch
EXPRESSIONS = (
    "torch.empty(2, 3)",
    "torch.empty(2, 3, dtype=torch.int8)",
    "torch.zeros((2,), dtype=torch.float8_e4m3fn)",
    "torch.tensor(1.0)",
    "torch.tensor(1)",
    "torch.tensor([1, 2])",
    "torch.tensor([True])",
    "torch.tensor(1.0, dtype=torch.float32)",
    "torch.arange(3)",
    "torch.arange(0, 1, 0.5)",
    "torch.ones(2, 4, dtype=torch.uint8).view(torch.int32)",
    "torch.ones(2, 4, dtype=torch.int16).view(torch.uint8)",
    "torch.ones(2, 4, dtype=torch.int16).view(8)",
    "torch.ones(4, dtype=torch.int8).to(torch.bfloat16)",
    "torch.ones(4, dtype=torch.int8).to('cpu')",
    "torch.ones(4, dtype=torch.int8).to(torch.zeros(1, dtype=torch.float64))",
    "torch.ones(4, dtype=torch.int8).float()",
    "torch.ones(4, dtype=torch.int8).half()",
    "torch.ones(4).long()",
    "torch.ones(2, 4, dtype=torch.int8).t()",
    "torch.ones(2, 4, dtype=torch.int8).T.reshape(8)",
    "torch.ones(2, 4, dtype=torch.int8)[0]",
    "torch.ones(2, 4, dtype=torch.int8).chunk(2)[1]",
    "torch.ones(2, dtype=torch.int8) * 2",
    "torch.ones(2, dtype=torch.int8) * 2.0",
    "torch.ones(2, dtype=torch.int8) * torch.ones(2, dtype=torch.int32)",
    "torch.ones(2, dtype=torch.int8) + torch.ones(2, dtype=torch.float16)",
    "torch.ones(2, dtype=torch.float16) + torch.ones(2, dtype=torch.float32)",
    "torch.ones(2, dtype=torch.int8) > 0",
    "torch.cat([torch.ones(2, dtype=torch.int8), torch.ones(2, dtype=torch.int32)])",
    "torch.stack([torch.ones(2, dtype=torch.int8), torch.ones(2, dtype=torch.int8)])",
    "torch.zeros_like(torch.ones(2, dtype=torch.int8))",
    "torch.zeros_like(torch.ones(2, dtype=torch.int8), dtype=torch.float32)",
    "torch.isnan(torch.ones(2))",
    "torch.nn.Parameter(torch.ones(2, dtype=torch.float8_e5m2), requires_grad=False)",
    "torch.nn.Linear(2, 3, dtype=torch.float64).weight",
    "torch.nn.Embedding(2, 3, dtype=torch.float16).weight",
    "torch.nn.LayerNorm(3, dtype=torch.float16).bias",
    "torch.nn.BatchNorm1d(3).num_batches_tracked",
)


def asked(expression: str, torch: Any) -> tuple[tuple[int, ...], str]:
    found = eval(expression, {"torch": torch})  # an expression of the list above
    return tuple(found.shape), str(found.dtype)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_tensor_has_the_shape_and_dtype_of_torch(expression: str) -> None:
    import torch

    limits.start()  # the dtype of a model that was built before is not kept
    assert asked(expression, TORCH) == asked(expression, torch)


def test_a_tensor_without_a_dtype_of_its_own_has_that_of_the_model() -> None:
    budget = limits.start()
    assert str(TORCH.empty(2).dtype) == "torch.float32"
    budget.dtype = TORCH.bfloat16
    assert str(TORCH.empty(2).dtype) == "torch.bfloat16"
    assert str(TORCH.empty(2, dtype=TORCH.int8).dtype) == "torch.int8"
    limits.start()


def test_data_that_is_set_brings_its_dtype() -> None:
    weight = TORCH.nn.Linear(2, 3).weight
    weight.data = weight.data.to(dtype=TORCH.uint8)
    assert str(weight.dtype) == "torch.uint8"


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e8m0fnu"])
def test_finfo_says_what_torch_says(name: str) -> None:
    import torch

    real, found = torch.finfo(getattr(torch, name)), TORCH.finfo(getattr(TORCH, name))
    parts = ("bits", "max", "min", "eps", "tiny", "smallest_normal", "resolution", "dtype")
    assert [getattr(found, part) for part in parts] == [getattr(real, part) for part in parts]


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo_says_what_torch_says(name: str) -> None:
    import torch

    real, found = torch.iinfo(getattr(torch, name)), TORCH.iinfo(getattr(TORCH, name))
    assert [getattr(found, part) for part in ("bits", "max", "min", "dtype")] == [
        getattr(real, part) for part in ("bits", "max", "min", "dtype")
    ]


def test_what_torch_says_of_the_machine_is_that_of_the_device_asked_about() -> None:
    budget = limits.start()
    assert TORCH.cuda.is_available() is False
    assert TORCH.cuda.device_count() == 0
    assert budget.asks_device
    budget = limits.start()
    budget.device = Device("cuda", (8, 0))
    assert TORCH.cuda.is_available() is True
    assert TORCH.cuda.get_device_capability() == (8, 0)
    assert TORCH.xpu.is_available() is False
    assert TORCH.accelerator.current_accelerator().type == "cuda"
    limits.start()


def test_what_takes_the_place_of_a_parameter_or_module_keeps_that_place() -> None:
    import torch

    for library in (torch, TORCH):
        layer = library.nn.Linear(2, 3)
        layer.weight = library.nn.Parameter(library.empty(3, 2))
        assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]


def test_the_output_of_attention_is_no_plain_linear() -> None:
    import torch

    for library in (torch, TORCH):
        out = library.nn.MultiheadAttention(8, 2).out_proj
        assert isinstance(out, library.nn.Linear)
        assert type(out) is not library.nn.Linear
