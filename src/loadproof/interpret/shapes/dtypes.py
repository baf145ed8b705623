"""Dtypes and devices: names that compare and print, and how wide a number is."""

from __future__ import annotations

from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Sealed, Value

_ONE_BYTE = "bool int8 uint8 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 int4 uint4"
_WIDTHS = {
    **dict.fromkeys(_ONE_BYTE.split(), 1),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("float32", "int32", "uint32", "complex32"), 4),
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 8),
    "complex128": 16,
}


class DType(Sealed):
    """A dtype: a name that compares and prints."""

    __visible__ = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__"):
            raise AttributeError(key)
        if key == "is_floating_point":
            return "float" in self._name
        if key == "is_complex":
            return self._name.startswith("complex")
        if key == "itemsize" and self._name in _WIDTHS:
            return _WIDTHS[self._name]
        return Unknown(f"{self._name}.{key}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DType) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __call__(self, *_: object, **__: object) -> Value:
        return Unknown(self._name)


FLOAT32, INT64, BOOL = DType("float32"), DType("int64"), DType("bool")


def dtype_named(name: str) -> DType | None:
    """None for a name that is no dtype of torch."""
    return DType(name) if name in _WIDTHS else None


def name_of(dtype: DType) -> str:
    """`bfloat16`"""
    return dtype._name


def width_of(dtype: DType) -> int:
    """Bytes of one number; 1 where the dtype is none of torch's."""
    return _WIDTHS.get(dtype._name, 1)


def promoted(first: DType | None, second: DType | None) -> DType | None:
    """The dtype of arithmetic on two tensors: floats before integers, the wider of two. None is the model's float."""
    if first == second:
        return first
    if first is None or second is None:
        other = second if first is None else first
        return other if other is not None and _is_float(other) and width_of(other) >= 4 else None
    if _is_float(first) != _is_float(second):
        return first if _is_float(first) else second
    return first if width_of(first) >= width_of(second) else second


def _is_float(dtype: DType) -> bool:
    return "float" in dtype._name or "complex" in dtype._name


class Device(Sealed):
    """Models are built on the meta device, as the library does while loading."""

    __visible__ = True

    def __init__(self, name: Value = "meta", index: Value = None) -> None:
        self.type, self.index = (name.split(":")[0] if isinstance(name, str) else "meta"), index

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"device(type='{self.type}')"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.type == self.type

    def __hash__(self) -> int:
        return hash(self.type)


META, CPU = Device(), Device("cpu")
