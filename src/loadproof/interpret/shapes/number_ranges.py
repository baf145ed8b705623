"""`torch.finfo` and `torch.iinfo`: the numbers that a dtype can hold, as torch 2.13 states them."""

from __future__ import annotations

from loadproof.interpret.language import limits
from loadproof.interpret.language.values import Open, Value
from loadproof.interpret.shapes.dtypes import FLOAT32, DType, name_of, width_of

# name -> largest, smallest, eps, smallest normal number, resolution
_FLOATS = {
    "float16": (65504.0, -65504.0, 0.0009765625, 6.103515625e-05, 0.001),
    "bfloat16": (3.3895313892515355e38, -3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38, 0.01),
    "float32": (
        3.4028234663852886e38,
        -3.4028234663852886e38,
        1.1920928955078125e-07,
        1.1754943508222875e-38,
        1e-06,
    ),
    "float64": (
        1.7976931348623157e308,
        -1.7976931348623157e308,
        2.220446049250313e-16,
        2.2250738585072014e-308,
        1e-15,
    ),
    "float8_e4m3fn": (448.0, -448.0, 0.125, 0.015625, 1.0),
    "float8_e5m2": (57344.0, -57344.0, 0.25, 6.103515625e-05, 1.0),
    "float8_e4m3fnuz": (240.0, -240.0, 0.125, 0.0078125, 1.0),
    "float8_e5m2fnuz": (57344.0, -57344.0, 0.125, 3.0517578125e-05, 1.0),
    "float8_e8m0fnu": (1.7014118346046923e38, 5.877471754111438e-39, 1.0, 5.877471754111438e-39, 1.0),
}
_INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")


class FloatInfo(Open):
    """`torch.finfo(dtype)`; without one, of the default dtype. Raises TypeError for a dtype of integers."""

    def __init__(self, type: Value = None) -> None:
        dtype = (limits.current().dtype or FLOAT32) if type is None else type
        if not isinstance(dtype, DType) or name_of(dtype) not in _FLOATS:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        self.dtype, self.bits = name_of(dtype), 8 * width_of(dtype)
        self.max, self.min, self.eps, self.smallest_normal, self.resolution = _FLOATS[name_of(dtype)]
        self.tiny = self.smallest_normal


class IntegerInfo(Open):
    """`torch.iinfo(dtype)`. Raises TypeError for a dtype of floats."""

    def __init__(self, type: Value) -> None:
        if not isinstance(type, DType) or name_of(type) not in _INTEGERS:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.dtype, self.bits = name_of(type), 8 * width_of(type)
        is_signed = not self.dtype.startswith("u")
        self.min = -(2 ** (self.bits - 1)) if is_signed else 0
        self.max = 2 ** (self.bits - is_signed) - 1
