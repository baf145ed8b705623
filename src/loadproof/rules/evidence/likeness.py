"""What the names of a file are like, in words: a hint where no class is named, never a decision."""

from __future__ import annotations

import re

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.tensors import Family
from loadproof.rules.evidence.class_fit import closest, fitting, stored_families, told
from loadproof.rules.evidence.dialects import dialect_of
from loadproof.rules.evidence.peft_names import ADAPTER, unwrapped
from loadproof.rules.evidence.quantized_layout import is_companion_name

_PACKED = re.compile(r"(\.qweight|\.weight_packed|_proj_blocks)\Z")


def likeness_of(case: Case) -> str | None:
    """``fit LlamaForCausalLM (...)``: what follows "the names"; None when no dialect and no class is near."""
    families = stored_families(case)
    dialect = dialect_of([family.template for family in families])
    if dialect is not None:
        return f"are those of {dialect[0].name}"
    kept = tuple(family for family in families if not ADAPTER.search(family.template))
    if families and not kept:
        return "are those of a LoRA adapter"
    bare = {_bare(family).template: _bare(family) for family in kept if not is_companion_name(_bare(family).template)}
    wrapped = "are those of a model saved by PEFT with its adapters; without these they " if kept != families else ""
    fits = fitting(case, bare.values())
    if fits:
        return f"{wrapped}fit {told(fits)}"
    near = closest(case, bare.values())
    if near is not None:
        return f"{wrapped}are closest to {told((near,))}: {near.leftover} kinds of names differ"
    return f"{wrapped}belong to no class that is known here" if wrapped else None


def _bare(family: Family) -> Family:
    """Under the name that the dense weight has in the model itself."""
    plain = _PACKED.sub(lambda found: "_proj" if found[0] == "_proj_blocks" else ".weight", family.template)
    return replace(family, template=unwrapped(plain))
