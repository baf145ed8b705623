"""How tensors are filled, loaded and printed, beside torch itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loadproof.interpret.language import limits
from loadproof.interpret.shapes.loading import last_load
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.namespaces import NN, TORCH
from loadproof.interpret.shapes.tensor import Tensor

pytestmark = pytest.mark.torch


def real() -> Any:
    import torch

    return torch


FILLED: dict[str, Callable[[Any], Any]] = {
    "zeros": lambda t: t.zeros(2, 3),
    "ones": lambda t: t.ones(2, 3),
    "full": lambda t: t.full((2, 3), 1.0),
    "random": lambda t: t.rand(2, 3),
    "zeros_like": lambda t: t.zeros_like(t.rand(2, 3)),
    "a view of zeros": lambda t: t.zeros(2, 3).reshape(3, 2).t().unsqueeze(0),
    "zeros put together": lambda t: t.cat([t.zeros(2, 3), t.zeros(1, 3)]),
    "zeros and ones put together": lambda t: t.stack([t.zeros(2), t.ones(2)]),
    "zero_": lambda t: t.rand(2, 3).zero_(),
    "fill_": lambda t: t.rand(2, 3).fill_(1),
    "copied": lambda t: t.rand(2, 3).copy_(t.zeros(2, 3)),
    "added to in place": lambda t: t.zeros(2, 3).add_(2),
    "init.zeros_": lambda t: t.nn.init.zeros_(t.rand(2, 3)),
    "init.ones_": lambda t: t.nn.init.ones_(t.rand(2, 3)),
    "init.constant_": lambda t: t.nn.init.constant_(t.rand(2, 3), 0.0),
    "init.normal_": lambda t: t.nn.init.normal_(t.zeros(2, 3)),
    "a parameter": lambda t: t.nn.Parameter(t.zeros(2, 3)),
    "new_zeros": lambda t: t.rand(2).new_zeros(2, 3),
    "one item": lambda t: t.zeros(2, 3)[1],
    "a mean of ones": lambda t: t.full((2, 3), 5.0).mean(0),
}


def word(tensor: Any) -> str:
    return "zero" if bool((tensor == 0).all()) else "one" if bool((tensor == 1).all()) else "other"


@pytest.mark.parametrize("make", FILLED.values(), ids=FILLED)
def test_the_fill_of_a_tensor_is_that_of_torch(make: Callable[[Any], Any]) -> None:
    limits.start()
    ours, theirs = make(TORCH), make(real())
    assert (ours.fill, tuple(ours.known())) == (word(theirs), tuple(theirs.shape))


SIZES: dict[str, Callable[[Any], Any]] = {
    "svd": lambda t: t.linalg.svd(t.rand(3, 5), full_matrices=False),
    "whole svd": lambda t: t.linalg.svd(t.rand(3, 5)),
    "qr": lambda t: t.linalg.qr(t.rand(5, 3)),
    "svd_lowrank": lambda t: t.svd_lowrank(t.rand(6, 5), q=2),
    "svd_lowrank of more than there is": lambda t: t.svd_lowrank(t.rand(6, 5), q=9),
    "diagonal of a matrix": lambda t: (t.diag(t.rand(3, 5)),),
    "diagonal matrix": lambda t: (t.diag(t.rand(3)),),
    "blocks": lambda t: (t.block_diag(t.rand(2, 3), t.rand(4), t.rand(1, 1)),),
    "kron": lambda t: (t.kron(t.rand(2, 3), t.rand(4, 5)),),
    "norm": lambda t: (t.norm(t.rand(2, 3)),),
    "norms of rows": lambda t: (t.linalg.norm(t.rand(2, 3), dim=1),),
    "triangle": lambda t: (t.triu_indices(4, 4, 1),),
}


@pytest.mark.parametrize("make", SIZES.values(), ids=SIZES)
def test_linear_algebra_has_the_sizes_of_torch(make: Callable[[Any], Any]) -> None:
    limits.start()
    assert [tuple(x.known()) for x in make(TORCH)] == [tuple(x.shape) for x in make(real())]


REFUSED: dict[str, Callable[[Any], Any]] = {
    "cat of other sizes": lambda t: t.cat([t.rand(2, 3), t.rand(2, 4)]),
    "cat of other dimensions": lambda t: t.cat([t.rand(2, 3), t.rand(2)]),
    "stack of other sizes": lambda t: t.stack([t.rand(2, 3), t.rand(2, 4)]),
    "stack of nothing": lambda t: t.stack([]),
    "permute with too few": lambda t: t.rand(2, 3, 4).permute(0, 1),
    "fan of a vector": lambda t: t.nn.init.kaiming_uniform_(t.rand(3)),
    "blocks of three dimensions": lambda t: t.block_diag(t.rand(1, 2, 3)),
    "an attribute that no tensor has": lambda t: t.rand(2).ds_shape,
}


def said(make: Callable[[Any], Any], torch: Any) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its text is compared
        make(torch)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_torch_refuses_is_refused_in_its_words(make: Callable[[Any], Any]) -> None:
    limits.start()
    assert said(make, TORCH) == said(make, real())


def nested(torch: Any, base: Any) -> Any:
    class Net(base):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(2, 3)
            self.norm = torch.nn.LayerNorm(3)
            self.register_buffer("kept", torch.zeros(2))
            self.register_buffer("dropped", torch.zeros(2), persistent=False)
            self.last = torch.nn.Sequential(torch.nn.Embedding(5, 2, padding_idx=0), torch.nn.Dropout(0.1))
            self.first = torch.nn.Linear(4, 3)  # what is replaced keeps its place

    return Net()


def pairs() -> tuple[Any, Any]:
    limits.start()
    return nested(TORCH, Module), nested(real(), real().nn.Module)


def test_names_come_in_the_order_of_torch() -> None:
    ours, theirs = pairs()
    assert list(ours.state_dict()) == list(theirs.state_dict())


def test_a_module_prints_as_in_torch() -> None:
    ours, theirs = pairs()
    assert repr(ours) == repr(theirs)
    assert str(type(ours.norm)) == str(type(theirs.norm))


def state(torch: Any, **changes: Any) -> dict[str, Any]:
    names = {"first.weight": (3, 4), "first.bias": (3,), "norm.weight": (3,), "norm.bias": (3,), "kept": (2,)}
    shapes = {**names, "last.0.weight": (5, 2), **changes}
    return {name: torch.rand(*shape) for name, shape in shapes.items() if shape is not None}


def loaded(model: Any, given: dict[str, Any], strict: bool) -> Any:
    """The two lists, or what was raised."""
    try:
        found = model.load_state_dict(given, strict=strict)
    except RuntimeError as problem:
        return str(problem)
    return list(found.missing_keys), list(found.unexpected_keys)


@pytest.mark.parametrize(
    "changes", [{}, {"first.weight": (3, 5), "kept": None}, {"other": (1,), "norm.bias": (4,)}, {"dropped": (2,)}]
)
@pytest.mark.parametrize("strict", [True, False])
def test_a_load_says_what_torch_says(changes: dict[str, Any], strict: bool) -> None:
    ours, theirs = pairs()
    assert loaded(ours, state(TORCH, **changes), strict) == loaded(theirs, state(real(), **changes), strict)
    load = last_load(ours)
    assert load is not None
    assert set(load.given) == set(state(real(), **changes))


def test_a_loaded_tensor_remembers_what_it_is_made_of() -> None:
    ours, _ = pairs()
    stored = Tensor((4, 3))
    stored.fill, stored.origin = "file", ("in the file",)
    ours.load_state_dict({"first.weight": stored.T}, strict=False)
    assert (ours.first.weight.fill, ours.first.weight.origin) == ("file", ("in the file",))
    assert (ours.first.bias.fill, ours.first.bias.origin) == ("other", ())


def test_containers_of_parameters_have_the_methods_of_torch() -> None:
    limits.start()
    for torch in (TORCH, real()):
        held = torch.nn.ParameterDict({"a": torch.nn.Parameter(torch.zeros(2))})
        held.update({"b": torch.nn.Parameter(torch.ones(3))})
        del held["a"]
        assert (list(held.keys()), len(held), "b" in held) == (["b"], 1, True)
        layers = torch.nn.ModuleDict({"a": torch.nn.Linear(1, 1), "b": torch.nn.Linear(1, 1)})
        layers.pop("a")
        assert list(layers) == ["b"]


def test_only_a_layer_can_fill_itself_anew() -> None:
    for name, nn in (("ours", NN), ("theirs", real().nn)):
        assert not hasattr(nn.Module, "reset_parameters"), name
        assert hasattr(nn.Linear, "reset_parameters"), name
