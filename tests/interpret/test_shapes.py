"""The shape-only layers create what torch creates."""

from __future__ import annotations

from typing import Any

import pytest

from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.shapes.layers import layers
from loadproof.interpret.shapes.namespaces import NN, TORCH

LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Linear", (3, 5), {}),
    ("Linear", (3, 5), {"bias": False}),
    ("Bilinear", (2, 3, 4), {}),
    ("Embedding", (7, 3), {"padding_idx": 0}),
    ("LayerNorm", (5,), {}),
    ("LayerNorm", ((2, 5),), {"elementwise_affine": False}),
    ("LayerNorm", (5,), {"bias": False}),
    ("RMSNorm", (5,), {}),
    ("GroupNorm", (2, 6), {}),
    ("BatchNorm1d", (4,), {}),
    ("BatchNorm2d", (4,), {"affine": False}),
    ("BatchNorm2d", (4,), {"track_running_stats": False}),
    ("InstanceNorm2d", (4,), {}),
    ("InstanceNorm1d", (4,), {"affine": True}),
    ("Conv1d", (4, 6, 3), {"groups": 2}),
    ("Conv2d", (4, 6, (3, 2)), {"bias": False}),
    ("Conv3d", (4, 6, 3), {}),
    ("Conv1d", (4, 6, 3, 1, 0, 1, 2, False), {}),
    ("ConvTranspose1d", (4, 6, 3), {"groups": 2}),
    ("ConvTranspose2d", (4, 6, 3, 1, 0, 0, 2, False), {}),
    ("PReLU", (), {}),
    ("MultiheadAttention", (8, 2), {}),
    ("MultiheadAttention", (8, 2), {"kdim": 4, "vdim": 6, "bias": False, "add_bias_kv": True}),
    ("LSTM", (3, 5), {"num_layers": 2, "bidirectional": True}),
    ("GRU", (3, 5), {"bias": False}),
    ("LSTM", (3, 5), {"proj_size": 2}),
    ("RNN", (3, 5), {}),
    ("LSTMCell", (3, 5), {}),
    ("GRUCell", (3, 5), {"bias": False}),
    ("SyncBatchNorm", (4,), {}),
]


def names(module: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(t.shape) for name, t in module.state_dict().items()}


@pytest.mark.torch
@pytest.mark.parametrize(("name", "args", "options"), LAYERS, ids=[f"{n}{i}" for i, (n, _, _) in enumerate(LAYERS)])
def test_a_layer_has_the_names_and_shapes_of_torch(name: str, args: Any, options: Any) -> None:
    import torch

    with torch.device("meta"):
        real = getattr(torch.nn, name)(*args, **options)
    assert names(getattr(NN, name)(*args, **options)) == names(real)


@pytest.mark.torch
def test_layers_said_to_own_nothing_own_nothing() -> None:
    import torch

    arguments: dict[str, tuple[Any, ...]] = {
        "Threshold": (1, 1), "Unflatten": (1, (1, 1)), "Fold": (2, 1), "Unfold": (1,), "PixelShuffle": (1,),
        "PixelUnshuffle": (1,), "ChannelShuffle": (1,), "LocalResponseNorm": (1,), "CrossMapLRN2d": (1,),
        "FractionalMaxPool2d": (2, 1), "LPPool1d": (1, 1), "LPPool2d": (1, 1), "Softmax": (), "LogSoftmax": (),
    }  # fmt: skip
    from loadproof.interpret.shapes.plain_layers import NoParameters

    for name, cls in layers().items():
        if not issubclass(cls, NoParameters):
            continue
        needs = ("Pool", "Unpool", "Pad")
        default = (1, 1.0) if name.startswith("ConstantPad") else (1,) if any(n in name for n in needs) else ()
        module = getattr(torch.nn, name)(*arguments.get(name, default))
        assert names(module) == {}, name


@pytest.mark.torch
@pytest.mark.parametrize("form", ["parametrizations", "utils"])
def test_weight_norm_renames_as_torch_does(form: str) -> None:
    import torch

    real = torch.nn.Conv1d(2, 4, 3)
    ours = NN.Conv1d(2, 4, 3)
    if form == "parametrizations":
        torch.nn.utils.parametrizations.weight_norm(real, dim=2)
        NN.utils.parametrizations.weight_norm(ours, dim=2)
    else:
        torch.nn.utils.weight_norm(real)
        NN.utils.weight_norm(ours)
    assert names(ours) == names(real)


def test_a_layer_that_is_not_modelled_is_refused() -> None:
    with pytest.raises(NotUnderstood, match=r"torch\.nn\.EmbeddingBag is not modelled"):
        NN.EmbeddingBag(3, 4)


def test_a_shared_module_appears_under_each_name_and_once_as_a_parameter() -> None:
    model = NN.Module()
    model.a = NN.Linear(2, 3, bias=False)
    model.b = model.a
    assert list(model.state_dict()) == ["a.weight", "b.weight"]
    assert [n for n, _ in model.named_parameters()] == ["a.weight"]


def test_a_parameter_replaces_a_plain_attribute_and_none_removes_it() -> None:
    model = NN.Module()
    model.x = 3
    model.x = NN.Parameter(TORCH.zeros(2))
    assert list(model.state_dict()) == ["x"]
    model.x = None
    assert list(model.state_dict()) == []


@pytest.mark.parametrize("size", [2.5, None, "3", -1])
def test_a_size_torch_refuses_is_refused(size: Any) -> None:
    with pytest.raises((TypeError, RuntimeError)):
        NN.Linear(4, size)


@pytest.mark.torch
@pytest.mark.parametrize(
    "expression",
    [
        "torch.zeros(2, 3).reshape(-1)", "torch.arange(3, 10, 2)", "torch.zeros(2, 3)[:, None, 1]", "torch.zeros(4, 6)[1:3, ::2]",
        "torch.cat([torch.zeros(2, 3), torch.zeros(4, 3)])", "torch.stack([torch.zeros(2)] * 3, dim=-1)",
        "torch.zeros(2, 3).unsqueeze(0).transpose(0, 2)", "torch.zeros(2, 1, 3).squeeze(1)", "torch.zeros(3, 4).sum(dim=0)",
        "torch.zeros(3, 4) @ torch.zeros(4, 5)", "torch.zeros(1, 4) + torch.zeros(3, 1)", "torch.tensor([[1, 2], [3, 4]])",
        "torch.zeros(7).chunk(3)[2]", "torch.zeros(2, 3, 4).flatten(1)", "torch.zeros(3).expand(2, -1)", "torch.eye(3)",
        "torch.zeros(2, 3).repeat(2, 1, 2)", "torch.einsum('ij,jk->ki', torch.zeros(2, 3), torch.zeros(3, 4))",
        "torch.zeros(2, 3)[..., :2]", "torch.meshgrid(torch.arange(2), torch.arange(3), indexing='xy')[0]",
        "torch.outer(torch.zeros(2), torch.zeros(3))", "torch.linspace(0, 1, 5)", "torch.full((2, 2), 1.0)",
    ],
)  # fmt: skip
def test_a_tensor_expression_has_the_shape_torch_gives(expression: str) -> None:
    import torch

    assert tuple(eval(expression, {"torch": TORCH}).shape) == tuple(eval(expression, {"torch": torch}).shape)
