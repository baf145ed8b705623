"""LP506 zero3-placeholders: empty tensors were saved in place of partitioned parameters."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, Place
from loadproof.core.tensors import Family
from loadproof.core.training import TrainingState
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.rank_slices import fsdp1_unit, looks_cut
from loadproof.rules.evidence.wording import elements, plural, row_evidence
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    empty = _placeholders(case)
    if not empty or fsdp1_unit(case) is not None or looks_cut(case):
        return
    number = sum(count(family.axes) for family in empty)
    rows = [*_rows(case, {family.template for family in empty}), *_taken_for_shared(case, number)]
    verb = "is" if number == 1 else "are"
    headline = f"{number:,} of {plural(case.manifest.tensors, 'tensor')} {verb} empty: ZeRO-3 placeholders, not weights"
    evidence = (*row_evidence(rows, 3), *_whole(case), *_gone(rows), *_rest(case))
    fixes = (Fix(_advice(case), "manual"),)
    yield Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _placeholders(case: Case) -> list[Family]:
    """Shape [0] (or [1] in old releases, then only where many are) for a parameter that has elements."""
    empty = [family for family in case.manifest.families if family.shape == (0,)]
    ones = [family for family in case.manifest.families if family.shape == (1,)]
    meant = _meant_empty(case, empty) if empty else frozenset[str]()
    found = [family for family in empty if family.template not in meant]
    if sum(count(family.axes) for family in ones) <= case.manifest.tensors // 2:
        return found
    too_few = {row.stored for row in of_kind(case.outcome.rows, "mismatched") if elements(row.expected) > 1}
    shown = {id(family) for family in (*found, *(family for family in ones if family.template in too_few))}
    return [family for family in case.manifest.families if id(family) in shown]


def _meant_empty(case: Case, empty: list[Family]) -> frozenset[str]:
    """Some classes do have parameters without elements; of an unknown class only weights and biases are known to have some."""
    if not case.expectation.families:
        return frozenset(f.template for f in empty if not f.template.endswith((".weight", ".bias")))
    without = {e.template for e in case.expectation.families if elements(e.shape) == 0}
    return frozenset(found.stored for found in case.outcome.assignments if found.target in without)


def _rows(case: Case, templates: set[str]) -> list[Row]:
    """Mismatched and conversion rows of these tensors; parameters converted from them are theirs too."""
    rows = [row for row in case.outcome.rows if row.stored in templates and row.kind in ("mismatched", "conversion")]
    targets = {a.target for a in case.outcome.assignments if a.stored in templates}
    rest = [row for row in of_kind(case.outcome.rows, "mismatched", "conversion") if row.template in targets]
    return list(dict.fromkeys([*rows, *rest]))


def _taken_for_shared(case: Case, empty: int) -> list[Row]:
    """Parameters that are gone altogether: empty placeholders share one address, a save keeps one of "equal" ones.

    That is only supposed where more is gone than is left with elements.
    """
    missing = of_kind(case.outcome.rows, "missing")
    gone = sum(count(row.axes) for row in missing)
    return missing if gone > case.manifest.tensors - empty else []


def _whole(case: Case) -> tuple[Evidence, ...]:
    whole = sum(count(f.axes) for f in case.manifest.families if elements(f.shape) > 1)
    text = f"{plural(whole, 'tensor')} are whole: small ones stay below ZeRO-3's threshold, resized ones were gathered"
    return (Evidence(NOWHERE, text, "note"),) if whole else ()


def _gone(rows: list[Row]) -> tuple[Evidence, ...]:
    gone = sum(count(row.axes) for row in rows if row.kind == "missing")
    text = f"{plural(gone, 'parameter')} are not stored at all: empty placeholders were dropped as shared memory"
    return (Evidence(NOWHERE, text, "note"),) if gone else ()


def _rest(case: Case) -> tuple[Evidence, ...]:
    found = [
        Evidence(Place(state.folder), f"the {state.kind} lies here{_completeness(state)}") for state in _states(case)
    ]
    files = _partitions(case)
    if files and not found:
        found.append(Evidence(Place(files[0]), f"{plural(len(files), 'file')} of the training state lie here"))
    return tuple(found)


def _states(case: Case) -> list[TrainingState]:
    return [state for state in case.inventory.states if state.kind.startswith("DeepSpeed")]


def _completeness(state: TrainingState) -> str:
    if state.is_complete is None:
        return ""
    return ", complete" if state.is_complete else f", but {state.absent[0]} is absent" if state.absent else ""


def _partitions(case: Case) -> list[str]:
    marks = ("zero_pp_rank_", "_model_states.pt", "zero_to_fp32.py")
    return [info.path for info in case.inventory.files if any(mark in info.path for mark in marks)]


def _advice(case: Case) -> str:
    state = next((state for state in _states(case) if state.is_complete is not False and state.command), None)
    if state is not None:
        command = state.command.replace("{folder}", shlex.quote(case.inventory.location))
        return f"merge the training state that lies here: {command}; this file holds no weights to fix"
    if _partitions(case):
        return "run zero_to_fp32.py on the training state that lies here; this file holds no weights to fix"
    return (
        "nothing in this file can be repaired; look for global_step*/ of the run and convert it with zero_to_fp32.py, "
        "or save again with stage3_gather_16bit_weights_on_model_save"
    )


RULE = Rule(
    code="LP506",
    slug="zero3-placeholders",
    group="shapes",
    title="ZeRO-3 placeholders were saved in place of weights",
    check=check,
)
