"""LP113 training-state: the weights lie here as a training run, or another program, left them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Edit, Fix, SaveAsSafetensors
from loadproof.core.families import count
from loadproof.core.findings import Evidence, Note
from loadproof.core.known_names import SAFE
from loadproof.core.places import Place, about
from loadproof.core.training import TrainingState
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.torch_files import taken_out
from loadproof.rules.evidence.whatif import outcome_with
from loadproof.rules.rows import of_kind

_SHOWN = 3


def check(case: Case) -> Iterable[Found]:
    """One cause for each state, where the reader opens nothing; beside weights another rule asks for them."""
    is_adapter = any(info.path == "adapter_config.json" for info in case.inventory.files)
    if case.selection.entry is not None or case.selection.files or is_adapter:
        return
    for number, state in enumerate(case.inventory.states):
        yield _found(case, state, is_first=number == 0)


def _found(case: Case, state: TrainingState, *, is_first: bool) -> Found:
    place = Place(state.folder) if state.folder else about("folder")
    evidence = [Evidence(place, _filled(case, fact)) for fact in state.facts]
    if state.absent:
        evidence.insert(0, Evidence(Place(state.absent[0]), f"absent: {listed(list(state.absent))}"))
    evidence += [Evidence(Place(problem.file), problem.text) for problem in _dangers(case, state)]
    evidence += _merged(case, state)
    rows = tuple(of_kind(case.outcome.rows, "missing")) if is_first else ()
    return Found(
        severity="error",
        confidence="certain",
        headline=f"{_where(state)} {_article(state.kind)}{_completeness(state)}, and the reader looks for no such files",
        evidence=tuple(evidence),
        rows=rows,
        fixes=_fixes(case, state),
        notes=(Note("reader", case.selection.error),) if case.selection.error else (),
    )


def _where(state: TrainingState) -> str:
    return f"{state.folder} is" if state.folder else "the folder holds"


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'AEIOU' or kind.startswith(('FSDP', 'ONNX')) else 'a'} {kind}"


def _completeness(state: TrainingState) -> str:
    of = f" of {state.parts} parts" if state.parts and state.parts > 1 else ""
    if state.is_complete is None:
        return of
    return f"{of}, complete" if state.is_complete else f"{of}, not complete"


def _merged(case: Case, state: TrainingState) -> list[Evidence]:
    """Whether the names that the merge writes would load."""
    if not state.families:
        return []
    number = sum(count(family.axes) for family in state.families)
    subject = "merged" if state.key is None else "as safetensors"
    outcome = outcome_with(case, state.families)
    if outcome is None:
        return [Evidence(about(subject), f"it holds {number:,} tensors")]
    if outcome.raises:
        return [Evidence(about(subject), f"its {number:,} tensors would not load: {outcome.error}")]
    lost = sum(count(row.axes) for row in outcome.rows if row.kind != "unexpected")
    over = sum(count(row.axes) for row in of_kind(outcome.rows, "unexpected"))
    if not lost:
        words = "every parameter would get its tensor" + (f", and {over:,} would be left over" if over else "")
    else:
        words = f"{lost:,} parameters would not get their tensor, and {over:,} would be left over"
    return [Evidence(about(subject), f"{number:,} tensors: {words}")]


def _dangers(case: Case, state: TrainingState) -> list[Problem]:
    """What would run while it is merged."""
    found = [problem for problem in case.inventory.problems if problem.code == "LP012"]
    return [problem for problem in found if problem.file.startswith(state.folder)][:_SHOWN]


def _fixes(case: Case, state: TrainingState) -> tuple[Fix, ...]:
    dangers = _dangers(case, state)
    save = _save(case, state) if state.key is not None and not dangers else None
    return (save or _way_out(case, state, dangers),)


def _save(case: Case, state: TrainingState) -> Fix | None:
    """The tensors as model.safetensors, where they would load under the names that they then have."""
    taken = taken_out(case, state.families)
    storable = all((family.dtype or "").isupper() and family.dtype != "F4" for family in state.families)
    if not taken.is_whole or not storable:
        return None
    edits: list[Edit] = [SaveAsSafetensors(((state.folder, SAFE),), state.key or ""), *taken.renames(state.prefix)]
    return Fix(f"write its tensors into {SAFE}, byte for byte", "lossless", tuple(edits))


def _filled(case: Case, text: str) -> str:
    """With the checkpoint as the user named it."""
    return text.replace("{folder}", shlex.quote(case.inventory.location.rstrip("/") or "/"))


def _way_out(case: Case, state: TrainingState, dangers: list[Problem]) -> Fix:
    if dangers:
        return Fix(f"do not merge it: {dangers[0].text}; get it from a source you trust", "manual")
    if state.is_complete is False:
        what = listed(list(state.absent)) if state.absent else "the files again"
        then = f"; then: {_filled(case, state.command)}" if state.command else ""
        return Fix(f"get {what} from where the run wrote it{then}", "manual")
    if state.command:
        return Fix(f"merge it: {_filled(case, state.command)}", "manual")
    return Fix(state.advice or "have the program that wrote it write a checkpoint of transformers", "manual")


RULE = Rule(
    code="LP113",
    slug="training-state",
    group="index",
    title="The weights are a training state, or the files of another program",
    check=check,
    absorbs=("LP112",),
)
