"""The `torch.nn` layers by name: those that own parameters, and those that are known to own none."""

# ruff: noqa: ARG001, N807 - the signatures are torch's
from __future__ import annotations

from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.convolutions import Conv
from loadproof.interpret.shapes.linear import Bilinear, Embedding, Linear, MultiheadAttention, PReLU
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.norms import BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RMSNorm
from loadproof.interpret.shapes.plain_layers import WITHOUT_PARAMETERS, Dropout, Identity, NoParameters
from loadproof.interpret.shapes.recurrent import Cell, Recurrent


def _subclass(name: str, base: type[Module], **members: Value) -> type[Module]:
    return type(name, (base,), members)


def unmodelled(name: str) -> type[Module]:
    """A stand-in for a layer of torch.nn that is not on the lists; building it is refused."""

    def __init__(self: Module, *_: object, **__: object) -> None:
        raise UnknownUsed(f"torch.nn.{name} is not modelled")

    return _subclass(name, Module, __init__=__init__)


def layers() -> dict[str, type[Module]]:
    """Name -> class for the torch.nn namespace."""
    found: dict[str, type[Module]] = {
        c.__name__: c
        for c in (
            Linear,
            Bilinear,
            Embedding,
            LayerNorm,
            RMSNorm,
            GroupNorm,
            PReLU,
            MultiheadAttention,
            Dropout,
            Identity,
        )
    }
    found.update({name: _subclass(name, NoParameters) for name in WITHOUT_PARAMETERS.split()})
    for n in (1, 2, 3):
        found[f"Conv{n}d"] = _subclass(f"Conv{n}d", Conv, rank=n)
        found[f"ConvTranspose{n}d"] = _subclass(f"ConvTranspose{n}d", Conv, rank=n, transposed=True)
        found[f"BatchNorm{n}d"] = _subclass(f"BatchNorm{n}d", BatchNorm)
        found[f"InstanceNorm{n}d"] = _subclass(f"InstanceNorm{n}d", InstanceNorm)
    found["SyncBatchNorm"] = _subclass("SyncBatchNorm", BatchNorm)
    for name, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        found[name] = _subclass(name, Recurrent, gates=gates)
        found[name + "Cell"] = _subclass(name + "Cell", Cell, gates=gates)
    return found
