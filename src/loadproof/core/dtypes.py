"""What a stored dtype says about the numbers in a tensor."""

from __future__ import annotations

_OTHER = frozenset(("I64", "U64", "BOOL", "C64"))
_INTEGERS = frozenset(("U8", "I8", "U16", "I16", "U32", "I32"))


def is_packed(dtype: str | None) -> bool:
    """Whether only quantizers store a weight so: narrow floats and packed integers. I64 and BOOL are data of models."""
    return dtype in _INTEGERS or (dtype or "").startswith(("F8_", "F6_", "F4"))


def is_no_weight(dtype: str | None, template: str, dimensions: int) -> bool:
    """Whether a floating-point parameter that is filled from this dtype gets wrong numbers.

    Packed numbers always; wide integers, booleans and complex numbers in a weight, a bias or a matrix: the library casts
    them without a word. Classes do keep single counts and switches as parameters (modeling_d_fine.py:1170 of 5.24).
    """
    return is_packed(dtype) or (dtype in _OTHER and (dimensions > 1 or template.endswith((".weight", ".bias"))))
