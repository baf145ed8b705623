"""No repair without proof: every fix that is called lossless is carried out in memory and judged before it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loadproof.api.better import is_better, is_progress, merit
from loadproof.api.edited import CannotTellError
from loadproof.api.edited_tensors import after
from loadproof.api.judging import conclude
from loadproof.api.torch_fixes import on_torch_files
from loadproof.api.trials import Trials
from loadproof.core.boxes import intersect, subtract_all
from loadproof.core.case import Report, Timings
from loadproof.core.edits import DropTensors, Edit, Fix, RenameTensors, SetAside
from loadproof.core.families import show
from loadproof.core.findings import Finding
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Axes, Family


def proven_alone(trials: Trials, state: Report, plan: Sequence[Edit] = ()) -> Report:
    """The report about what `plan` leaves, each of its lossless fixes judged alone."""
    findings = tuple(_alone(trials, state, plan, finding) for finding in state.findings)
    return replace(state, findings=findings)


def _alone(trials: Trials, state: Report, plan: Sequence[Edit], finding: Finding) -> Finding:
    return replace(finding, fixes=tuple(_checked(trials, state, plan, finding, fix) for fix in finding.fixes))


def _checked(trials: Trials, state: Report, plan: Sequence[Edit], finding: Finding, fix: Fix) -> Fix:
    fix = on_torch_files(state.case, fix)
    if fix.safety != "lossless" or not fix.edits:
        return fix
    try:
        why = _why_not(state, trials.after([*plan, *fix.edits]), finding, fix.edits)
    except CannotTellError as error:
        why = _unknown(error)
    return fix if why is None else as_advice(fix, why)


def as_advice(fix: Fix, why: str) -> Fix:
    """What a repair would be, without its edits, and why it is none."""
    return Fix(f"not offered as a repair: {fix.title} ({why})", "manual")


def why_not(report: Report, finding: Finding, edits: Sequence[Edit]) -> str | None:
    """The reason for which these edits are no proven repair of the finding; None where they are one."""
    try:
        return _why_not(report, outcome_of(report, edits), finding, edits)
    except CannotTellError as error:
        return _unknown(error)


def _unknown(error: CannotTellError) -> str:
    return f"its result is not known ({error})"


def _why_not(report: Report, made: Report, finding: Finding, edits: Sequence[Edit]) -> str | None:
    gain = merit(made) >= merit(report) if finding.severity == "info" else is_better(made, report)
    if not gain:
        return f"afterwards it {_so(made)}"
    if made.case.expectation.inconclusive and not report.case.expectation.inconclusive:
        return f"afterwards the model class cannot be judged: {made.case.expectation.inconclusive}"
    return harms(report, made, finding, edits)


def harms(report: Report, made: Report, finding: Finding, edits: Sequence[Edit]) -> str | None:
    """What the edits leave random, unused or behind that they should not; None where they do no harm."""
    return _still_random(finding, made) or _left_out(report, made, edits) or _beside(made, edits)


def outcome_of(report: Report, edits: Sequence[Edit]) -> Report:
    """The report about the checkpoint as the edits would leave it. Raises `CannotTellError`."""
    return Trials(report).after(edits) if edits else conclude(report.case, Timings())


def _so(made: Report) -> str:
    words = {"loads": "is no better", "inconclusive": "cannot be judged", "loads-wrong": "still loads wrong"}
    return words.get(made.verdict, "still fails")


def _still_random(finding: Finding, made: Report) -> str | None:
    """Parameters that the finding claims as missing must not stay so."""
    claimed: dict[str, list[Axes]] = {}
    for row in finding.rows:
        if row.kind == "missing":
            claimed.setdefault(row.template, []).append(row.axes)
    for row in made.case.outcome.rows:
        for axes in claimed.get(row.template, ()) if row.kind == "missing" else ():
            common = intersect(row.axes, axes) if len(row.axes) == len(axes) else None
            if common is not None:
                return f"afterwards {show(row.template, common)} still stays random"
    return None


def _left_out(report: Report, made: Report, edits: Sequence[Edit]) -> str | None:
    """A stored tensor that was used must not become unused, unless its file is set aside as a whole."""
    if any(isinstance(edit, SetAside) for edit in edits):
        return None
    used = after(_used(report.case.outcome), edits)
    taken: dict[str, list[Axes]] = {}
    for found in made.case.outcome.assignments:
        taken.setdefault(found.stored, []).append(found.stored_axes)
    for family in made.case.outcome.quantized:
        taken.setdefault(family.template, []).append(family.axes)
    for family in used:
        if left := subtract_all([family.axes], taken.get(family.template, ())):
            return f"afterwards {show(family.template, left[0])} is not used any more"
    return None


def _used(outcome: Outcome) -> tuple[Family, ...]:
    """Stored tensors that reach a parameter, each once."""
    boxes: dict[str, list[Axes]] = {}
    found: list[Family] = []
    for one in outcome.assignments:
        known = boxes.setdefault(one.stored, [])
        fresh = subtract_all([one.stored_axes], known)
        known += fresh
        found += [Family(one.stored, axes, one.dtype, one.shape) for axes in fresh]
    return tuple(found)


def _beside(made: Report, edits: Sequence[Edit]) -> str | None:
    """A weight that gets its name back must not leave behind what belongs to the same module: an adapter, a scale."""
    modules = {
        new.removesuffix("weight") for edit in edits if isinstance(edit, RenameTensors) for _, new, _ in edit.pairs
        if new.endswith(".weight")
    }  # fmt: skip
    known = {edit.template for edit in edits if isinstance(edit, DropTensors)}
    known |= {new for edit in edits if isinstance(edit, RenameTensors) for _, new, _ in edit.pairs}
    for row in (*made.case.outcome.rows, *made.case.outcome.ignored):
        if row.kind == "unexpected" and _module_of(row) in modules and not known & {row.template, row.stored}:
            return f"{show(row.template, row.axes)} of the same module would be left out"
    return None


def _module_of(row: Row) -> str:
    return f"{row.template.rpartition('.')[0]}."


def as_one_plan(trials: Trials, report: Report) -> Report:
    """The repairs that would be carried out by default, as one plan."""
    fixes = [by_default(finding) for finding in report.findings]
    wanted = [(finding, fix) for finding, fix in zip(report.findings, fixes, strict=True) if fix]
    reasons = iter(_in_order(trials, wanted))
    findings = tuple(
        _without(finding, why) if fix and (why := next(reasons)) else finding
        for finding, fix in zip(report.findings, fixes, strict=True)
    )
    return replace(report, findings=findings)


def by_default(finding: Finding) -> Fix | None:
    """The fix that is carried out when none is named."""
    if finding.severity == "info" or finding.confidence == "possible":
        return None
    return next((fix for fix in finding.fixes if fix.safety == "lossless" and fix.edits), None)


def _without(finding: Finding, why: str) -> Finding:
    fixes = (as_advice(fix, why) if fix.safety == "lossless" and fix.edits else fix for fix in finding.fixes)
    return replace(finding, fixes=tuple(fixes))


def together(report: Report, wanted: Sequence[tuple[Finding, Fix]]) -> list[str | None]:
    """Why a fix is no gain once those before it in the list are carried out; None for every one that is.

    The first is taken as it is: it was judged alone.
    """
    return _in_order(Trials(outcome_of(report, ())), wanted)


def _in_order(trials: Trials, wanted: Sequence[tuple[Finding, Fix]]) -> list[str | None]:
    plan: list[Edit] = []
    state = trials.report
    reasons: list[str | None] = []
    for number, (finding, fix) in enumerate(wanted):
        made = _or_none(trials, [*plan, *fix.edits]) if len(wanted) > 1 else None
        gain = made is not None and (
            merit(made) >= merit(state) if finding.severity == "info" else is_progress(made, state)
        )
        if number and not gain:
            reasons.append(f"with {wanted[0][0].code} fixed it is no gain any more")
            continue
        plan += fix.edits
        state = made or state
        reasons.append(None)
    return reasons


def _or_none(trials: Trials, edits: Sequence[Edit]) -> Report | None:
    try:
        return trials.after(edits)
    except CannotTellError:
        return None


__all__ = ["as_advice", "as_one_plan", "by_default", "harms", "outcome_of", "proven_alone", "together", "why_not"]
