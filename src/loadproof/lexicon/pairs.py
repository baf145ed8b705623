"""Which parts of a quantized module its method stores together."""

from __future__ import annotations

from msgspec import Struct


class Pair(Struct, frozen=True):
    """Where `part` is stored, one of `wanted` has to be stored as well, below the same module."""

    methods: tuple[str, ...]
    part: str
    wanted: tuple[str, ...]
    dtypes: tuple[str, ...] = ()  # of `part`; empty: any


_F8 = ("F8_E4M3", "F8_E5M2")
FOUR_BIT, _BITS8 = ("bitsandbytes_4bit",), ("bitsandbytes_8bit",)
_STATES = ("weight.quant_state.bitsandbytes__nf4", "weight.quant_state.bitsandbytes__fp4")
_GROUPED = ("gptq", "awq")
_SCALES = ("weight_scale_inv", "scale", "qscale_weight", "weight_scale")
PAIRS = (
    Pair(("fp8", "fbgemm_fp8", "compressed-tensors"), "weight", _SCALES, _F8),
    Pair(("fp8",), "weight_scale_inv", ("weight",)),
    Pair(FOUR_BIT, "weight", _STATES, ("U8",)),
    Pair(FOUR_BIT, "weight", ("weight.absmax",), ("U8",)),
    Pair(_BITS8, "weight", ("SCB",), ("I8",)),
    Pair(_GROUPED, "qweight", ("scales",)),
    Pair(_GROUPED, "qweight", ("qzeros",)),
    Pair(_GROUPED, "scales", ("qweight",)),
    Pair(("compressed-tensors",), "weight_packed", ("weight_scale",)),
    Pair(("compressed-tensors",), "weight_scale", ("weight_packed", "weight")),
)  # fmt: skip
