"""What a stored dtype says about the numbers in a tensor."""

from __future__ import annotations

_INTEGERS = frozenset(("U8", "I8", "U16", "I16", "U32", "I32"))


def is_packed(dtype: str | None) -> bool:
    """Whether only quantizers store a weight so: narrow floats and packed integers. I64 and BOOL are data of models."""
    return dtype in _INTEGERS or (dtype or "").startswith(("F8_", "F6_", "F4"))
