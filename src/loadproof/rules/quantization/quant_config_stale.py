"""LP602 quant-config-stale: the config declares a quantization that the tensors do not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loadproof.config import where
from loadproof.config.quantization import TAKE_DENSE, keeps_dense
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.dtypes import is_packed
from loadproof.core.edits import DeleteJson, Fix
from loadproof.core.families import names_of
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.lexicon.companions import dense_name
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.other_method import of_another_method
from loadproof.rules.evidence.quantized_layout import is_companion, packed_families, skipped_method
from loadproof.rules.evidence.quantized_modules import line, rows_in
from loadproof.rules.evidence.survey import Declaration, survey

# Measured with bitsandbytes 0.50: AssertionError of 4 bits, AttributeError ('CB') of 8.
_NEVER_RUNS = (
    Note(
        "note",
        "the modules of bitsandbytes take the dense weights as they are and have no quantization state: "
        "the first forward pass raises",
    ),
)
_DEPENDS = (
    Note(
        "note",
        "on a CPU the dense weights load as they are; a machine with native kernels swaps in quantized modules, whose "
        "scales are not stored",
    ),
)


def check(case: Case) -> Iterable[Found]:
    """All tensors are dense; or they have the layout of another method than the declared one."""
    if skipped_method(case) or not case.manifest.families or not _complete(case):
        return
    found = survey(case)
    declaration = found.declaration
    yield from of_another_method(case, found)
    if declaration is None or not declaration.layouts or found.census.packed or packed_families(case):
        return
    if not (_dense_by_design(declaration.entry) or _left_alone(case, declaration.entry)):
        yield _finding(case, declaration)


def _left_alone(case: Case, entry: Mapping[str, Any]) -> bool:
    """Whether its own list of exceptions leaves every matrix of the model as it is."""
    if case.outcome.inconclusive is not None or case.outcome.raises:
        return False
    matrices = (family for family in case.expectation.families if len(family.shape) > 1)
    names = (name for family in matrices for name in names_of(family.template, family.axes))
    return keeps_dense(entry, (name.removesuffix(".weight") for name in names))


def _complete(case: Case) -> bool:
    """Scales may lie in a shard that is not there."""
    there = {file.path for file in case.inventory.files}
    return case.manifest.names_only or all(file in there for file in case.selection.files)


def _dense_by_design(entry: Mapping[str, Any]) -> bool:
    """Declarations that leave the weights alone: only the KV cache, not yet compressed, or switched off."""
    status, layout = entry.get("quantization_status"), entry.get("format")
    if entry.get("quant_method") == "compressed-tensors" and not entry.get("config_groups"):
        return True
    switches = [entry[key] for key in ("load_in_4bit", "load_in_8bit") if key in entry]
    off = bool(switches) and not any(switches)
    return off or layout == "dense" or status in ("initialized", "calibration")


def _finding(case: Case, declaration: Declaration) -> Found:
    path, word = declaration.path, declaration.entry.get("quant_method", "")
    evidence = [Evidence(where(case.config, (*path, "quant_method")), f'quant_method = "{word}"')]
    dense = survey(case).census.dense
    plain = next((module for module in dense if len(module.parts["weight"].shape or ()) == 2), None)
    evidence += [line(plain, "weight")] if plain is not None else []
    promised = [row for row in case.outcome.rows if is_companion(row) or _follows(row)]
    instead = rows_in((row for row in case.outcome.rows if row not in promised), dense) if promised else ()
    rows = (*promised, *instead)
    mild = declaration.method in TAKE_DENSE and not rows
    return Found(
        severity="warning" if mild else "error",
        confidence="certain",
        headline=f"{dotted(path)} says {word}, and every stored tensor is dense",
        evidence=tuple(evidence),
        rows=rows,
        fixes=(Fix(f"delete {dotted(path)} from config.json", "lossless", (DeleteJson("config.json", path),)),),
        notes=_notes(declaration.method),
    )


def _notes(method: str) -> tuple[Note, ...]:
    if method.startswith("bitsandbytes"):
        return _NEVER_RUNS
    return _DEPENDS if method in TAKE_DENSE else ()


def _follows(row: Row) -> bool:
    """A part of a quantized module that the reader misses, or the dense weight that stands in its place."""
    return row.kind == "missing" and (dense_name(row.template) is not None or is_packed(row.dtype))


RULE = Rule(
    code="LP602",
    slug="quant-config-stale",
    group="quantization",
    title="The config declares a quantization that the tensors do not have",
    check=check,
    absorbs=("LP017",),  # which says that the method's package is not installed
)
