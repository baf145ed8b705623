"""The end of a load: ties, ignore patterns, what is reported and what is raised, in the library's order."""

from __future__ import annotations

from loadproof.core.boxes import intersect, merge
from loadproof.core.checkpoint import Manifest
from loadproof.core.coverage import Skip
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Axes
from loadproof.readers.transformers.ignore import Ignore
from loadproof.readers.transformers.ledger import Ledger
from loadproof.readers.transformers.ties import Boxes

CONVERSION_TEXT = (
    "RuntimeError: We encountered some issues during automatic conversion of the weights. For details look at the "
    "`CONVERSION` entries of the above report!"
)
MISMATCH_TEXT = (
    "RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error. For details look at the above "
    "report!"
)


def close(ledger: Ledger, manifest: Manifest, missing: Boxes, tied: tuple[tuple[str, str], ...]) -> Outcome:
    """The outcome, given what is still missing after ties."""
    kept, ignored = _part(_missing_rows(ledger, missing), ledger.ignore_missing)
    rows = (*kept, *ledger.rows)
    text = raised(ledger, manifest, rows) or _without_numbers(ledger, missing)
    return Outcome(
        rows=rows,
        assignments=tuple(ledger.assignments),
        raises=text is not None,
        error=text,
        ignored=(*ignored, *ledger.ignored),
        dropped=tuple(ledger.dropped),
        tied=tied,
        skipped=_skipped(ledger, manifest),
        inconclusive=ledger.unknown[0] if ledger.unknown else None,
    )


def raised(ledger: Ledger, manifest: Manifest, rows: tuple[Row, ...]) -> str | None:
    """The exception text, None when the load comes through: a broken file first, then the report's own errors."""
    broken = _refused(manifest)
    if broken or ledger.crash:
        return broken or ledger.crash
    kinds = {row.kind for row in rows}
    if "conversion" in kinds:
        return CONVERSION_TEXT
    if "mismatched" in kinds:
        return MISMATCH_TEXT if ledger.semantics.major >= 5 else _size_mismatch(rows)
    return None


_KERNELS = {
    "U8": "Byte",
    "I8": "Char",
    "I16": "Short",
    "I32": "Int",
    "F8_E4M3": "Float8_e4m3fn",
    "F8_E5M2": "Float8_e5m2",
}


def _without_numbers(ledger: Ledger, missing: Boxes) -> str | None:
    """A packed weight that nothing fills is given random numbers (`_init_weights`), which torch has for floats only."""
    for template, boxes in missing.items():
        for family in ledger.names.by_template[template] if boxes else ():
            if family.never_random and any(_meets(box, family.axes) for box in boxes):
                where = "cuda" if family.any_shape and ledger.expectation.device.startswith("cuda") else "cpu"
                kind = _KERNELS.get(family.dtype or "", family.dtype)
                return f"NotImplementedError: \"normal_kernel_{where}\" not implemented for '{kind}'"
    return None


def _meets(box: Axes, axes: Axes) -> bool:
    return len(box) == len(axes) and intersect(box, axes) is not None


def _refused(manifest: Manifest) -> str | None:
    """What is raised over the first file that is not taken."""
    if not manifest.problems:
        return None
    from loadproof.readers.transformers.reactions import react

    return next(filter(None, map(react, manifest.problems)), None)


def _size_mismatch(rows: tuple[Row, ...]) -> str:
    """Release 4 lets torch raise, at the first tensor that does not fit."""
    row = next(row for row in rows if row.kind == "mismatched")
    module, _, part = row.template.rpartition(".")
    stored, wanted = list(row.found or ()), list(row.expected or ())
    return (
        f"RuntimeError: Error(s) in loading state_dict for {module}: size mismatch for {part}: copying a param with "
        f"shape torch.Size({stored}) from checkpoint, the shape in current model is torch.Size({wanted})."
    )


def _missing_rows(ledger: Ledger, missing: Boxes) -> list[Row]:
    rows = []
    for template, boxes in missing.items():
        for axes in merge(boxes):
            for family in ledger.names.by_template[template]:
                box = intersect(axes, family.axes) if len(axes) == len(family.axes) else None
                if box is not None:
                    rows.append(Row("missing", template, box, family.shape))
    return rows


def _part(rows: list[Row], ignore: Ignore) -> tuple[list[Row], list[Row]]:
    """(rows that no pattern matches, rows that one matches); families are cut where a pattern takes some members."""
    kept: list[Row] = []
    ignored: list[Row] = []
    for row in rows:
        hit, miss = ignore.split(row.template, row.axes)
        ignored += [Row(row.kind, row.template, axes, row.expected) for axes in hit]
        kept += [Row(row.kind, row.template, axes, row.expected) for axes in miss]
    return kept, ignored


def _skipped(ledger: Ledger, manifest: Manifest) -> tuple[Skip, ...]:
    skips = list(manifest.skipped)
    if ledger.unjudged and (names := manifest.only_named):
        skips.append(Skip(f"shapes and dtypes of {names:,} tensors", "only names are known"))
    skips += [Skip("a conversion", text) for text in ledger.unknown]
    return tuple(skips)
