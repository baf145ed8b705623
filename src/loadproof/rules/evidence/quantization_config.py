"""The quantization_config that a stored layout proves by arithmetic, where it does."""

from __future__ import annotations

from typing import Any

from loadproof.core.tensors import Family
from loadproof.rules.evidence.quantized_layout import Layout


def proved_config(layout: Layout) -> dict[str, Any] | None:
    """The declaration that fits the stored tensors, None where shapes alone do not decide it."""
    solve = {
        "bitsandbytes-4bit": _four_bit,
        "bitsandbytes-8bit": lambda _: {"quant_method": "bitsandbytes", "load_in_8bit": True},
        "fp8": _fp8,
        "gptq": _gptq,
        "awq": _awq,
    }.get(layout.method)
    return solve(layout) if solve else None


def _four_bit(layout: Layout) -> dict[str, Any]:
    names = [family.template for family in layout.companions]
    kind = "fp4" if any(name.endswith("bitsandbytes__fp4") for name in names) else "nf4"
    double = any(name.endswith("nested_absmax") for name in names)
    return {
        "quant_method": "bitsandbytes",
        "load_in_4bit": True,
        "bnb_4bit_quant_type": kind,
        "bnb_4bit_use_double_quant": double,
    }


def _fp8(layout: Layout) -> dict[str, Any] | None:
    """Blocks: ceil(rows / block) scales down, ceil(columns / block) across; one block size must fit every weight."""
    scales = {
        f.template.removesuffix("_scale_inv"): f for f in layout.companions if f.template.endswith("weight_scale_inv")
    }
    weights = [(f, scales[f.template]) for f in layout.packed if f.template in scales]
    if not weights or any(w.shape is None or s.shape is None for w, s in weights):
        return None
    if all(scale.shape in ((), (1,)) for _, scale in weights):
        return {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": None}
    fits = [size for size in (128, 64, 256, 32) if all(_block_fits(w, s, size) for w, s in weights)]
    if not fits:
        return None
    return {"quant_method": "fp8", "activation_scheme": "dynamic", "fmt": "e4m3", "weight_block_size": [fits[0]] * 2}


def _block_fits(weight: Family, scale: Family, block: int) -> bool:
    have, want = weight.shape or (), scale.shape or ()
    return len(have) >= 2 and len(want) >= 2 and tuple(-(-size // block) for size in have[-2:]) == want[-2:]


def _gptq(layout: Layout) -> dict[str, Any] | None:
    """qweight [I*b/32, O], g_idx [I], scales [G, O]."""
    parts = _modules(layout, "qweight", "g_idx", "scales")
    found = {(32 * q[0] // g[0], -(-g[0] // s[0]) if s[0] > 1 else -1) for q, g, s in parts if g[0] and s[0]}
    if len(found) != 1:
        return None
    bits, group = found.pop()
    return {"quant_method": "gptq", "bits": bits, "group_size": group, "checkpoint_format": "gptq"}


def _awq(layout: Layout) -> dict[str, Any] | None:
    """gemm: qweight [I, O*b/32], scales [G, O]."""
    parts = _modules(layout, "qweight", "scales")
    found = {(32 * q[1] // s[1], -(-q[0] // s[0])) for q, s in parts if len(q) == len(s) == 2 and s[1] and s[0]}
    if len(found) != 1:
        return None
    bits, group = found.pop()
    if bits not in (2, 3, 4, 8):
        return None
    return {"quant_method": "awq", "bits": bits, "group_size": group, "zero_point": True, "version": "gemm"}


def _modules(layout: Layout, *leaves: str) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes of these leaves for every module template that has them all."""
    shapes = {family.template: family.shape for family in (*layout.companions, *layout.packed)}
    found = []
    for template in shapes:
        if not template.endswith("." + leaves[0]):
            continue
        module = template.removesuffix(leaves[0])
        group = [shapes.get(module + leaf) for leaf in leaves]
        if all(group):
            found.append(tuple(shape for shape in group if shape is not None))
    return found
