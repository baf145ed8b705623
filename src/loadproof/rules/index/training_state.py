"""LP113 training-state: the weights lie here as a training run, or another program, left them."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.core.families import count
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import Place, about
from loadproof.core.training import TrainingState
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.whatif import outcome_with
from loadproof.rules.rows import of_kind

_SHOWN = 3


def check(case: Case) -> Iterable[Found]:
    """One cause for each state, where the reader opens nothing; beside weights another rule asks for them."""
    if case.selection.entry is not None or case.selection.files:
        return
    for number, state in enumerate(case.inventory.states):
        yield _found(case, state, is_first=number == 0)


def _found(case: Case, state: TrainingState, *, is_first: bool) -> Found:
    evidence = [Evidence(Place(state.folder) if state.folder else about("folder"), fact) for fact in state.facts]
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
        fixes=(_way_out(state, _dangers(case, state)),),
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
    outcome = outcome_with(case, state.families)
    if outcome is None:
        return [Evidence(about("merged"), f"it holds {number:,} tensors")]
    if outcome.raises:
        return [Evidence(about("merged"), f"its {number:,} tensors would not load: {outcome.error}")]
    lost = sum(count(row.axes) for row in outcome.rows if row.kind != "unexpected")
    over = sum(count(row.axes) for row in of_kind(outcome.rows, "unexpected"))
    if not lost:
        words = "every parameter would get its tensor" + (f", and {over:,} would be left over" if over else "")
    else:
        words = f"{lost:,} parameters would not get their tensor, and {over:,} would be left over"
    return [Evidence(about("merged"), f"{number:,} tensors: {words}")]


def _dangers(case: Case, state: TrainingState) -> list[Problem]:
    """What would run while it is merged."""
    found = [problem for problem in case.inventory.problems if problem.code == "LP012"]
    return [problem for problem in found if problem.file.startswith(state.folder)][:_SHOWN]


def _way_out(state: TrainingState, dangers: list[Problem]) -> Fix:
    if dangers:
        return Fix(f"do not merge it: {dangers[0].text}; get it from a source you trust", "manual")
    if state.is_complete is False:
        what = listed(list(state.absent)) if state.absent else "the files again"
        then = f"; then: {state.command}" if state.command else ""
        return Fix(f"get {what} from where the run wrote it{then}", "manual")
    if state.command:
        return Fix(f"merge it: {state.command}", "manual")
    return Fix(state.advice or "have the program that wrote it write a checkpoint of transformers", "manual")


RULE = Rule(
    code="LP113",
    slug="training-state",
    group="index",
    title="The weights are a training state, or the files of another program",
    check=check,
    absorbs=("LP112",),
)
