"""Functions of compressed_tensors whose numbers are of no consequence, as functions of shapes."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.dtypes import DType
from loadproof.interpret.shapes.tensor import Tensor, typed_as

_UINT8 = DType("uint8")


def quantize(x: Tensor, *args: Value, dtype: Value = None, **_: Value) -> Tensor:
    """`quantization.lifecycle.forward.quantize`: the fifth argument is the dtype of the result."""
    stated = args[3] if len(args) > 3 else dtype
    return typed_as(x._of(x.shape), stated if isinstance(stated, DType) else x.own_dtype)


def pack_fp4(x: Tensor, *_: Value, **__: Value) -> Tensor:
    """Two numbers of four bits in a byte. Raises ValueError for an odd number of columns."""
    shape = x.known()
    if shape[-1] % 2:
        raise certain(ValueError("tensor must have an even number of columns for nvfp4 compression"))
    return typed_as(Tensor((*shape[:-1], shape[-1] // 2)), _UINT8)


NAMES: dict[str, Any] = {"quantize": quantize, "pack_fp4_to_uint8": pack_fp4, "quantize_and_pack_fp4": pack_fp4}
