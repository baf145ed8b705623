"""Whether a parameter that is filled with a stored tensor as it is gets wrong numbers; the library reports nothing."""

from __future__ import annotations

from loadproof.core.dtypes import is_no_weight, is_packed
from loadproof.core.expectation import Expected
from loadproof.lexicon.companions import dense_name

_SAME_BITS = frozenset(("U8", "I8", "F4", "F8_E8M0"))  # one byte whatever it is called: nothing is cast


def is_misread(dtype: str | None, family: Expected) -> bool:
    """Floats are cast to the dtype of the parameter, integers are left as they are; neither is scaled or unpacked."""
    if family.any_shape:  # packed numbers that come without their states or scales
        return is_packed(dtype)
    if family.dtype is None or not is_packed(family.dtype):
        is_number = (dtype or "").startswith("F8_") and dense_name(family.template) is not None  # a scale
        return not is_number and is_no_weight(dtype, family.template, len(family.shape))
    if dtype == family.dtype or not is_packed(dtype):
        return False  # dense numbers in a packed place: its scale is missing, or it takes them as they are
    return not {dtype, family.dtype} <= _SAME_BITS
