"""Decompositions, norms and block matrices: the sizes of what they give, and what torch 2.13 refuses."""

# ruff: noqa: ARG001, ARG005 - the signatures are torch's
from __future__ import annotations

from itertools import zip_longest
from typing import Any

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.objects import Namespace, SourceObject, Unknown
from loadproof.interpret.language.values import Names, Value
from loadproof.interpret.shapes.tensor import Tensor


def _svd(a: Any, full_matrices: Value = True, **_: Value) -> Value:
    *batch, m, n = a.known()
    k = min(m, n)
    if full_matrices:
        return Tensor((*batch, m, m)), Tensor((*batch, k)), Tensor((*batch, n, n))
    return Tensor((*batch, m, k)), Tensor((*batch, k)), Tensor((*batch, k, n))


def _qr(a: Any, mode: Value = "reduced", **_: Value) -> Value:
    m, n = a.known()
    k = min(m, n) if mode == "reduced" else m
    return Tensor((m, k)), Tensor((k, n))


def _svd_lowrank(a: Any, q: int = 6, niter: int = 2, **_: Value) -> Value:
    m, n = a.known()
    k = min(q, m, n)
    return Tensor((m, k)), Tensor((k,)), Tensor((n, k))


def _diag(a: Any, *_: Value) -> Value:
    shape = a.known()
    return Tensor((shape[0], shape[0])) if len(shape) == 1 else Tensor((min(shape),))


def _block_diag(*parts: Any) -> Value:
    shapes = [
        ((1, 1), (1, *part.known()))[len(part.known())] if len(part.known()) < 2 else part.known() for part in parts
    ]
    for at, shape in enumerate(shapes):
        if len(shape) > 2:
            text = f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {at} has {len(shape)} dimensions"
            raise certain(RuntimeError(text))
    return Tensor((sum(shape[0] for shape in shapes), sum(shape[1] for shape in shapes)))


def _kron(a: Any, b: Any) -> Value:
    sizes = zip_longest(reversed(a.known()), reversed(b.known()), fillvalue=1)
    return Tensor(tuple(x * y for x, y in sizes)[::-1])


def _norm(a: Any, p: Value = None, dim: Any = None, keepdim: bool = False, **_: Value) -> Value:
    return Tensor(()) if dim is None else a.sum(dim, keepdim)


def _triangle(rows: int, columns: int, offset: int = 0, **_: Value) -> Value:
    return Tensor((2, sum(max(0, columns - max(0, row + offset)) for row in range(rows))))


def _same(a: Any, *_: Value, **__: Value) -> Value:
    return Tensor(a.known())


class Generator(SourceObject):
    """`torch.Generator`: its numbers are not made."""

    def __init__(self, *_: Value, **__: Value) -> None:
        pass

    def manual_seed(self, *_: Value) -> Value:
        return self


LINALG = Namespace(
    "torch.linalg",
    {
        "svd": _svd,
        "qr": _qr,
        "norm": _norm,
        "vector_norm": _norm,
        "inv": _same,
        "lstsq": lambda *_, **__: Unknown("lstsq"),
    },
)
FUNCTIONS: Names = {
    "linalg": LINALG,
    "svd_lowrank": _svd_lowrank,
    "diag": _diag,
    "block_diag": _block_diag,
    "kron": _kron,
    "norm": _norm,
    "triu_indices": _triangle,
    "inverse": _same,
    "multinomial": lambda weights, n, *_, **__: Tensor((n,)),
    "Generator": Generator,
    "manual_seed": lambda *_: None,
}
