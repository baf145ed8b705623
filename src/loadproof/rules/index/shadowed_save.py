"""LP108 shadowed-save: a single file hides a sharded save."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import IndexFile
from loadproof.core.edits import Fix, SetAside
from loadproof.core.families import fold
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.core.severity import Confidence, Severity
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.shards import beside, present_shards, set_of, size_of
from loadproof.rules.evidence.whatif import explained_by
from loadproof.rules.rows import count_rows


def check(case: Case) -> Iterable[Found]:
    """`model.safetensors` is tried before the index; an error when only the hidden save fits the model."""
    entry = case.selection.entry
    index = next((index for index in case.inventory.indexes if index.path in beside(entry)), None)
    if index is None or set_of(index) in ((), (entry,)) or not present_shards(case, index):
        return
    rows = _filled_by(case, index)
    worse = bool(case.outcome.rows)
    fits = worse and count_rows(rows) == count_rows(case.outcome.rows)
    shards = present_shards(case, index)
    headline = f"{entry} is read; the {len(shards)} shards of {index.path} beside it are not"
    evidence = (
        Evidence(Place(str(entry)), f"{case.manifest.tensors:,} tensors, {size_of(case, [str(entry)])}"),
        Evidence(
            Place(index.path), f"{len(index.weight_map):,} tensors, {size_of(case, shards)} in {len(shards)} shards"
        ),
    )
    fix = Fix(
        f"set {entry} aside (renamed, not deleted), so that the sharded save is read",
        "lossless",
        (SetAside(str(entry)),),
    )
    severity: Severity = "error" if fits else "warning"
    notes = (Note("note", "vLLM and SGLang do the opposite: with an index they leave the single file out"),)
    confidence: Confidence = "certain" if fits else "likely"
    yield Found(
        severity=severity,
        confidence=confidence,
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=(fix,),
        notes=notes,
    )


def _filled_by(case: Case, index: IndexFile) -> list[Row]:
    """The rows that would not be there if the sharded save were read, judged by its names."""
    if not case.outcome.rows:
        return []
    held = [Family(template, axes, None, None) for template, axes, _ in fold((n, None) for n in index.weight_map)]
    vanish, new = explained_by(case, held)
    return vanish if not new else []


RULE = Rule(
    code="LP108",
    slug="shadowed-save",
    group="index",
    title="A single file hides a sharded save",
    check=check,
    absorbs=("LP103",),
)
