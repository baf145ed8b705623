"""Storages and tensors as a pickle of torch describes them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loadproof.formats.pickled.values import Value
from loadproof.formats.torch.dtypes import SIZES

Kind = Literal["strided", "meta", "sparse", "quantized", "nested", "wrapper", "device"]


class Storage(Struct, eq=False, gc=False):
    """A run of elements that lies in the file under `key`; several tensors may share one."""

    dtype: str
    key: str
    location: str
    length: int  # elements
    view: tuple[str, int, int] | None = None  # of the legacy stream: (key, offset, length) inside the storage
    is_untyped: bool = False

    @property
    def bytes(self) -> int:
        return self.length * SIZES[self.dtype]


class Tensor(Struct, eq=False, gc=False):
    """One tensor. `inner` holds the parts of one that has no storage of its own (sparse, quantized, a subclass)."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...] = ()
    offset: int = 0  # elements from the start of the storage
    storage: Storage | None = None
    kind: Kind = "strided"
    role: str = ""  # "parameter", or the name of the subclass
    inner: dict[str, Value] = {}
    has_flags: bool = False  # conjugated or negated: the bytes are not the values

    def set_state(self, state: Value) -> None:
        """What a subclass keeps beside its data."""
        self.inner["state"] = state


class Array(Struct, eq=False):
    """A numpy array or scalar; `shape` is None until its state is known."""

    dtype: str = ""
    shape: tuple[int, ...] | None = None

    def set_state(self, state: Value) -> None:
        """(version, shape, dtype, is_fortran, data)."""
        if not isinstance(state, tuple) or len(state) < 3:
            raise ValueError("the state of an array is no tuple")
        self.shape = whole_numbers(state[1])
        self.dtype = state[2].dtype if isinstance(state[2], ArrayType) else ""


class ArrayType(Struct, eq=False):
    """A numpy dtype."""

    dtype: str = ""

    def set_state(self, state: Value) -> None:
        """(version, byte order, ...)."""
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|"):
            self.dtype = f"{state[1]}{self.dtype}"


def whole_numbers(value: Value) -> tuple[int, ...]:
    """A shape or a stride. Raises ValueError for anything else than a short tuple of 64-bit integers."""
    found = []
    for number in value if isinstance(value, tuple | list) and len(value) <= 64 else (None,):
        if type(number) is not int or not -(2**63) <= number < 2**63:
            raise ValueError("a shape or stride is no short tuple of 64-bit integers")
        found.append(number)
    return tuple(found)
