"""What a stored dtype says about the numbers in a tensor."""

from __future__ import annotations

_OTHER = frozenset(("I64", "U64", "BOOL", "C64"))
_INTEGERS = frozenset(("U8", "I8", "U16", "I16", "U32", "I32"))


_SPELLINGS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "bool": "BOOL", "complex64": "C64",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0",
    "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ", "float4_e2m1fn_x2": "F4",
}  # fmt: skip


def as_stored(name: str) -> str:
    """`BF16` for torch's `bfloat16`, as a safetensors header spells it."""
    return _SPELLINGS.get(name, name)


def is_packed(dtype: str | None) -> bool:
    """Whether only quantizers store a weight so: narrow floats and packed integers. I64 and BOOL are data of models."""
    return dtype in _INTEGERS or (dtype or "").startswith(("F8_", "F6_", "F4"))


def is_no_weight(dtype: str | None, template: str, dimensions: int) -> bool:
    """Whether a floating-point parameter that is filled from this dtype gets wrong numbers.

    Packed numbers always; wide integers, booleans and complex numbers in a weight, a bias or a matrix: the library casts
    them without a word. Classes do keep single counts and switches as parameters (modeling_d_fine.py:1170 of 5.24).
    """
    return is_packed(dtype) or (dtype in _OTHER and (dimensions > 1 or template.endswith((".weight", ".bias"))))
