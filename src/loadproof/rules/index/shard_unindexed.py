"""LP103 shard-unindexed: weight files lie beside the indexed ones and are not read."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import IndexFile
from loadproof.core.edits import DropTensors, Fix, RebuildIndex, SetAside
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.shards import deciding_index, is_numbered, listed, set_of, stray_shards
from loadproof.rules.evidence.whatif import explained_by, outcome_with
from loadproof.rules.rows import of_kind, subtract

ASKED_ALONE = 16  # files that are tried one by one; each takes a prediction


def check(case: Case) -> Iterable[Found]:
    """An error where such a file holds what is missing, a warning for a second numbered set, an info otherwise."""
    index = deciding_index(case)
    stray = stray_shards(case) if index is not None else ()
    if index is None or not stray or not index.weight_map:
        return
    subject = f"{stray[0]} lies" if len(stray) == 1 else f"{len(stray)} weight files lie"
    headline = f"{subject} in the folder and {index.path} does not name {'it' if len(stray) == 1 else 'them'}"
    evidence = (Evidence(about("folder"), listed(stray)), Evidence(Place(index.path), f"names {listed(set_of(index))}"))
    helpful, rows = _what_is_missing(case, stray)
    if rows:
        files = tuple(sorted({*set_of(index), *helpful}))
        fix = Fix(f"rebuild {index.path} with these files", "lossless", (RebuildIndex(index.path, files),))
        headline += ", though missing parameters are in there"
        yield Found(
            severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=(fix,)
        )
        return
    if _are_read(case, index):
        fix = Fix("set the files aside (they are renamed, not deleted)", "lossless", tuple(map(SetAside, stray)))
    else:  # they may be the weights that the index should name
        fix = Fix(f"first find out which files {index.path} should name", "manual")
    severity: Severity = "warning" if any(map(is_numbered, stray)) else "info"
    notes = (Note("note", "mlx-lm and loaders without an index read every *.safetensors of the folder"),)
    yield Found(
        severity=severity, confidence="certain", headline=headline, evidence=evidence, fixes=(fix,), notes=notes
    )


def _are_read(case: Case, index: IndexFile) -> bool:
    """Whether every file that the index names was read here."""
    return case.manifest.names_only or len(case.manifest.files) >= len(set_of(index))


def _what_is_missing(case: Case, stray: tuple[str, ...]) -> tuple[list[str], list[Row]]:
    """The files whose tensors fill missing parameters, by their headers, and the rows that are gone with them."""
    if not of_kind(case.outcome.rows, "missing") or case.manifest.names_only:
        return [], []
    if len(stray) > ASKED_ALONE:
        return _of_all(case, stray)
    helpful: list[str] = []
    families = case.manifest.families
    for file in stray:
        held = case.families_of((file,))
        vanish, _ = explained_by(case, (*case.manifest.families, *held))
        if of_kind(vanish, "missing"):
            helpful.append(file)
            families = (*families, *held)
    return (helpful, explained_by(case, families)[0]) if helpful else ([], [])


def _of_all(case: Case, stray: tuple[str, ...]) -> tuple[list[str], list[Row]]:
    """The same for many files, which are asked together: those that hold what is then loaded from them."""
    held = case.families_of(stray)
    families = (*case.manifest.families, *held)
    outcome = outcome_with(case, families)
    vanish = subtract(case.outcome.rows, outcome.rows) if outcome is not None else []
    if outcome is None or not of_kind(vanish, "missing"):
        return [], []
    filled = {row.template for row in of_kind(vanish, "missing")}
    used = {found.stored for found in outcome.assignments if found.target in filled}
    helpful = {file for family in held if family.template in used for file in family.files}
    return sorted(helpful), vanish


RULE = Rule(
    code="LP103",
    slug="shard-unindexed",
    group="index",
    title="Weight files lie beside the indexed ones and are not read",
    check=check,
    cured_by=(DropTensors,),
)
