"""LP610 quant-misread: packed or scaled numbers land in ordinary parameters."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.wording import plural
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """What no rule about a declaration explains: the numbers are cast as they are, and nothing is reported."""
    rows = of_kind(case.outcome.rows, "misread")
    if not rows:
        return
    number = sum(count(row.axes) for row in rows)
    dtypes = ", ".join(sorted({row.dtype or "" for row in rows}))
    verb = "is" if number == 1 else "are"
    headline = f"{plural(number, 'weight')} {verb} stored as {dtypes} and cast to the parameter's dtype unscaled"
    fix = Fix("export it again with its quantization_config and scales, or in 16 bit", "manual")
    notes = (Note("note", "the reader reports nothing: every name and shape fits"),)
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(map(_line, rows[:3])),
        rows=tuple(rows),
        fixes=(fix,),
        notes=notes,
    )


def _line(row: Row) -> Evidence:
    name, axes = row.stored or row.template, row.stored_axes or row.axes
    shown = show(name, axes) if name.count("{}") == len(axes) else name
    return Evidence(in_files(row.files[:2], 2), f"{shown} {row.dtype} {list(row.found or ())}")


DOCS = RuleDocs(
    finds=(
        "Tensors of a narrow dtype (F8, I8, U8, I32 ...) whose names and shapes are those of ordinary parameters, and no "
        "quantizer that reads them."
    ),
    why=(
        "transformers casts whatever is stored to the dtype of the parameter. Without its scale an FP8 or INT8 weight is "
        "wrong by a factor of thousands, and no row of the load report says so."
    ),
    errors=("transformers: no error and no row; the model generates noise",),
    example="`self_attn.q_proj.weight` F8_E4M3 [64, 64] with neither a scale nor a quantization_config.",
    fix="Export it again: as a quantized checkpoint with its scales and declaration, or in 16 bit.",
    harmless=(
        "I64 and BOOL tensors are data of models and not reported. A plain cast to FP8 without a scale loses digits only; "
        "it cannot be told from a scaled one."
    ),
)
RULE = Rule("LP610", "quant-misread", "Packed or scaled numbers land in ordinary parameters", check, DOCS)
