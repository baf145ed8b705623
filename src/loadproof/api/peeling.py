"""Several faults at once: one cause after the other.

The cause whose correction helps most is corrected in memory, and what is left is judged again, until nothing is wrong or
nothing helps. Each further cause then stands with the rows of its own, behind those that hid it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loadproof.api.better import helped, is_better, is_progress
from loadproof.api.edited_tensors import CannotTellError
from loadproof.api.proof import as_advice, as_one_plan, by_default, harms, proven_alone
from loadproof.api.sharing import split
from loadproof.api.torch_fixes import on_torch_files
from loadproof.api.trials import Trials
from loadproof.core.case import Report
from loadproof.core.edits import Edit, Fix
from loadproof.core.findings import Finding
from loadproof.core.outcome import Row
from loadproof.core.severity import SEVERITIES
from loadproof.rules.rows import count_rows, subtract

MOST = 6  # causes that are corrected one after the other


class _Layer(Struct, frozen=True):
    """A cause, its correction, and what is judged once it is carried out after those before it."""

    finding: Finding
    fix: Fix
    state: Report  # in which it was found
    plan: tuple[Edit, ...]  # that led to this state
    made: Report


def with_proven_fixes(report: Report) -> Report:
    """The report with only those lossless fixes that are proven, alone and as one plan in the order of the findings.

    What is not proven stays as advice (`manual`, without edits) that says why. Where the plan leaves something wrong,
    the causes are looked for one behind the other.
    """
    trials = Trials(report)
    flat = as_one_plan(trials, proven_alone(trials, report))
    return peeled(trials, flat) or flat


def peeled(trials: Trials, flat: Report) -> Report | None:
    """The report with the causes one behind the other; None where the fixes of the `flat` one leave nothing to find.

    `flat` is the report about the files as they are, its fixes proven.
    """
    judged = flat.verdict != "loads" and not flat.case.expectation.inconclusive
    if not judged or (not flat.unexplained and _is_clean(_end(trials, flat))):
        return None
    layers, last = _layers(trials)
    if not layers:
        return None
    made = _assembled(trials, flat, layers, last)
    return made if is_better(_end(trials, made), trials.report) else _as_advice(made, flat)


def _as_advice(report: Report, flat: Report) -> Report:
    """The causes stand, and their repairs are no gain even together: only those are left that were one alone."""
    why = "what is left then makes the load fail" if report.verdict == "loads-wrong" else "it still does not load then"
    able = {finding.code for finding in flat.findings if by_default(finding)}
    findings = (one if one.code in able and not one.behind else _without_edits(one, why) for one in report.findings)
    return replace(report, findings=tuple(findings))


def _without_edits(finding: Finding, why: str) -> Finding:
    fixes = (as_advice(fix, why) if fix.safety == "lossless" and fix.edits else fix for fix in finding.fixes)
    return replace(finding, fixes=tuple(fixes))


def _end(trials: Trials, flat: Report) -> Report:
    """What the fixes that would be carried out by default leave, as one plan."""
    fixes = (by_default(finding) for finding in flat.findings)
    try:
        return trials.after([edit for fix in fixes if fix for edit in fix.edits])
    except CannotTellError:
        return flat


def _is_clean(report: Report) -> bool:
    return not report.unexplained and all(finding.severity == "info" for finding in report.findings)


# ---------------------------------------------------------------- one after the other
def _layers(trials: Trials) -> tuple[list[_Layer], Report]:
    """The causes in the order in which they are corrected, and the report about what is left."""
    found: list[_Layer] = []
    plan: tuple[Edit, ...] = ()
    state = proven_alone(trials, trials.report)
    while len(found) < MOST and not _is_clean(state):
        layer = _best(trials, state, plan)
        if layer is None:
            break
        found.append(layer)
        plan += layer.fix.edits
        state = proven_alone(trials, layer.made, plan)
    return found, state


def _best(trials: Trials, state: Report, plan: tuple[Edit, ...]) -> _Layer | None:
    """The error (else the warning) whose correction leaves least; one that loses something only where no other helps."""
    tried = list(_tried(trials, state, plan))
    for severity in ("error", "warning"):
        for safe in (True, False):
            able = [one for one in tried if one.finding.severity == severity and (one.fix.safety == "lossless") == safe]
            if able:
                return max(able, key=lambda one: helped(one.made))
    return None


def _tried(trials: Trials, state: Report, plan: tuple[Edit, ...]) -> Iterator[_Layer]:
    original = trials.report if not plan else trials.after(plan)
    for finding, unproven in zip(state.findings, original.findings, strict=True):
        if finding.severity == "info" or finding.confidence == "possible":
            continue
        for fix in (on_torch_files(state.case, fix) for fix in unproven.fixes):
            made = _made(trials, state, plan, finding, fix) if fix.edits else None
            if made is not None:
                yield _Layer(finding, fix, state, plan, made)
                break


def _made(trials: Trials, state: Report, plan: Sequence[Edit], finding: Finding, fix: Fix) -> Report | None:
    """What the fix leaves, None where it is no progress or does harm."""
    try:
        made = trials.after([*plan, *fix.edits])
    except CannotTellError:
        return None
    good = is_progress(made, state) and not made.case.expectation.inconclusive
    harmless = fix.safety != "lossless" or harms(state, made, finding, fix.edits) is None
    return made if good and harmless else None


# ---------------------------------------------------------------- the report
def _assembled(trials: Trials, flat: Report, layers: list[_Layer], last: Report) -> Report:
    """The causes in order, then what is left of findings; every reported row belongs to one of them or to none."""
    known = {finding.code: finding for finding in flat.findings}
    left = list(trials.report.case.outcome.rows)
    findings: list[Finding] = []
    for layer in layers:
        own, left = _shared_out(left, layer)
        findings.append(_found(trials, layer, known, tuple(findings), own))
    plan = (*layers[-1].plan, *layers[-1].fix.edits)
    for finding in last.findings:
        if finding.severity == "info" and finding.code not in known:
            continue
        own, left = split(left, finding.rows, plan)
        same = known.get(finding.code)
        shown = (
            same if same is not None and same.rows == finding.rows else finding
        )  # in the words of the files as they are
        findings.append(_with_rows(shown, own, () if same is not None else _codes(findings)))
    return replace(flat, findings=tuple(_ordered(findings)), unexplained=tuple(left))


def _shared_out(left: list[Row], layer: _Layer) -> tuple[list[Row], list[Row]]:
    """(rows of this cause, rows of others): what it claims, and what is gone once it is corrected."""
    claimed, others = split(left, layer.finding.rows, layer.plan)
    still, gone = split(others, layer.made.case.outcome.rows, (*layer.plan, *layer.fix.edits))
    return [*claimed, *gone], still


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Errors first, but none before what hides it: the fixes are carried out in this order."""
    place: dict[str, int] = {}
    keys: list[int] = []
    for finding in findings:
        keys.append(max([SEVERITIES.index(finding.severity), *(place[code] for code in finding.behind)]))
        place[finding.code] = max(keys[-1], place.get(finding.code, 0))
    return [findings[number] for number in sorted(range(len(findings)), key=keys.__getitem__)]


def _found(
    trials: Trials, layer: _Layer, known: dict[str, Finding], earlier: tuple[Finding, ...], own: list[Row]
) -> Finding:
    """The finding of a layer with its rows, and with the fix that was proven in its place."""
    shown = known.get(layer.finding.code, layer.finding) if not layer.plan else layer.finding
    alone = not layer.plan or _helps_alone(trials, layer)
    behind = () if alone else _codes(earlier)
    lost = [one.code for one in earlier if one.code in behind and by_default(one) is None]
    others = tuple(fix for fix in layer.finding.fixes if not fix.edits and not fix.title.startswith("not offered"))
    fix = Fix(f"once {lost[0]} is fixed: {layer.fix.title}", "manual") if lost else layer.fix
    fixes = (fix, *others) if fix.safety == "lossless" else (*others, fix)
    return _with_rows(replace(shown, fixes=fixes), own, behind)


def _helps_alone(trials: Trials, layer: _Layer) -> bool:
    """Whether the same edits help the files as they are."""
    try:
        return is_progress(trials.after(layer.fix.edits), trials.report)
    except CannotTellError:
        return False


def _codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.code for finding in findings if finding.severity != "info"))


def _with_rows(finding: Finding, own: Sequence[Row], behind: tuple[str, ...]) -> Finding:
    """Its reported rows, then those that show once the causes before it are corrected."""
    hidden = () if not behind else subtract((row for row in finding.rows if row.kind != "unexpected"), own)
    return replace(finding, rows=(*own, *hidden), explains=count_rows(own), behind=behind)
