"""`fix` and `undo`: from findings to a plan of edits, carried out only when asked."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import Unpack

from msgspec.structs import replace

from loadproof.api.better import bad_rows, is_better, merit
from loadproof.api.checking import check, open_checkpoint
from loadproof.core.case import Case, Report
from loadproof.core.edits import Edit
from loadproof.core.findings import Finding
from loadproof.core.reading import Asked
from loadproof.core.repairs import Applied, Choice, FixReport, Refusal
from loadproof.repair import (
    ForeignRecordsError,
    Plan,
    RepairError,
    apply_to_copy,
    check_records,
    foresee,
    interrupted,
    plan_edits,
    recover,
)
from loadproof.repair import apply as apply_in_place
from loadproof.repair import forget as forget_repairs
from loadproof.repair import undo as undo_repair

Progress = Callable[[int, int, str], None]  # bytes done, bytes in all, what is being done


def fix(
    location: str | os.PathLike[str],
    codes: Iterable[str] = (),
    *,
    apply: bool = False,
    out: str | os.PathLike[str] | None = None,
    unsafe: bool = False,
    readers_stopped: bool = False,
    adopt_records: bool = False,
    progress: Progress | None = None,
    apply_it: bool | None = None,
    **reading: Unpack[Asked],
) -> FixReport:
    """Plan the repair of the findings named by `codes` (codes or slugs; all of them when none is named).

    Only lossless edits are planned, with `unsafe` lossy ones too; infos are fixed when they are named. With `apply` the plan
    is carried out in place, with `out` in a new folder (a checkpoint that loads is copied as it is), and the result is
    checked again (`reading`: the keywords of `check`). In place it is kept only if the checkpoint is better afterwards,
    else it is taken back. Undo records and journals that this user did not make for this folder stop it
    (`ForeignRecordsError`); with `adopt_records` they are taken over.
    Raises `RepairError` when it cannot be carried out (nothing was changed), `ValueError` for a code that was not
    found, else what `check` raises.
    """
    apply = _renamed(apply, apply_it)
    root = folder_at(os.fspath(location))
    check_records(root, adopt_records=adopt_records, carry_out=apply, in_place=out is None)
    _end_interrupted(os.fspath(location), apply=apply)
    before = check(location, **reading)
    codes = tuple(codes)
    wanted = [_choose(finding, unsafe, is_named=bool(codes)) for finding in _named(before, codes)]
    choices, plan = _agree(before.case, _gaining(before, wanted))
    report = FixReport(before, choices, plan, left=() if codes else _left(before))
    if not plan.edits and (out is None or before.verdict != "loads"):
        return report
    if out is not None:  # a checkpoint in order is copied as it is: what is asked for is a folder that loads
        applied = apply_to_copy(plan, os.fspath(out), progress=progress)
        return replace(report, applied=applied, after=check(out, **reading))
    if not apply:
        return replace(report, blocked=foresee(plan, readers_stopped=readers_stopped))
    applied = apply_in_place(plan, progress=progress, readers_stopped=readers_stopped)
    return _kept_if_better(replace(report, applied=applied, after=check(location, **reading)))


def folder_at(location: str) -> str:
    """The folder of the checkpoint at a location. Raises `RepairError` where it does not lie on this machine."""
    folder = open_checkpoint(location).folder
    if folder is None:
        raise RepairError(Refusal(f"{location} does not lie on this machine", "download it, and fix the copy"))
    return folder


def _renamed(apply: bool, apply_it: bool | None) -> bool:
    """The old name of `apply` still works, and says so."""
    if apply_it is None:
        return apply
    warnings.warn("fix(apply_it=...) is now fix(apply=...)", DeprecationWarning, stacklevel=3)
    return apply_it


def _kept_if_better(report: FixReport) -> FixReport:
    """The repair, or its undoing where the checkpoint is no better for it."""
    after = report.after
    assert after is not None
    if _gained(report.before, after, report.choices):
        return report
    assert report.applied is not None
    undo_repair(report.applied.root)
    why = f"the repaired checkpoint was no better ({after.verdict}, {bad_rows(after):,} names reported; before: "
    why += f"{report.before.verdict}, {bad_rows(report.before):,}), so every file is again as it was"
    return replace(report, applied=None, restored=why)


def _gained(before: Report, after: Report, choices: Iterable[Choice]) -> bool:
    """Better; or as good, and what was to be fixed is gone (an info that changes nothing about the load)."""
    if is_better(after, before):
        return True
    fixed = {choice.finding.code for choice in choices if choice.fix}
    return merit(after) == merit(before) and not fixed & {finding.code for finding in after.findings}


def _gaining(before: Report, choices: list[Choice]) -> list[Choice]:
    """Without those that are no gain any more once the others before them are carried out."""
    from loadproof.api.proof import together

    wanted = [(choice.finding, choice.fix) for choice in choices if choice.fix]
    if len(wanted) < 2:
        return choices
    reasons = iter(together(before, wanted))
    return [
        Choice(choice.finding, None, why) if choice.fix and (why := next(reasons)) else choice for choice in choices
    ]


def undo(location: str | os.PathLike[str], *, adopt_records: bool = False) -> Applied:
    """Take back the last repair of the checkpoint, byte for byte. Raises `RepairError` when there is none.

    Records that this user did not make for this folder stop it, unless they are to be taken over (`adopt_records`).
    """
    return undo_repair(folder_at(os.fspath(location)), adopt_records=adopt_records)


def forget(location: str | os.PathLike[str], *, adopt_records: bool = False) -> tuple[str, ...]:
    """Make the repairs of the checkpoint final: undo records and kept old files go; returns their names."""
    return forget_repairs(folder_at(os.fspath(location)), adopt_records=adopt_records)


def _end_interrupted(location: str, *, apply: bool) -> None:
    """A repair that was cut off comes first: in place it is brought to its end, else the user is told."""
    root = folder_at(location)
    if not interrupted(root):
        return
    if not apply:
        raise RepairError(Refusal("a repair of this checkpoint was interrupted", f"run: loadproof undo {location}"))
    recover(root)


def _named(report: Report, codes: tuple[str, ...]) -> list[Finding]:
    wanted = {code.upper() if code[:2].upper() == "LP" else code for code in codes}
    known = {name for finding in report.findings for name in (finding.code, finding.slug)}
    if unknown := sorted(wanted - known):
        raise ValueError(f"{', '.join(unknown)}: no such finding in {report.case.inventory.location}")
    if not wanted:
        return [finding for finding in report.findings if finding.severity != "info"]
    named = [finding for finding in report.findings if wanted & {finding.code, finding.slug}]
    hiding = {code for finding in named for code in finding.behind}
    return [finding for finding in report.findings if finding in named or finding.code in hiding]


def _left(report: Report) -> tuple[Finding, ...]:
    """Infos with an edit: they do no harm, so they are fixed when they are asked for by their codes."""
    return tuple(
        finding for finding in report.findings if finding.severity == "info" and any(fix.edits for fix in finding.fixes)
    )


def _agree(case: Case, choices: list[Choice]) -> tuple[tuple[Choice, ...], Plan]:
    """One plan for all choices; where that is refused, those go that do not get along with the ones before them."""
    checkpoint = case.checkpoint
    assert checkpoint is not None  # `check` made the case
    plan = plan_edits(checkpoint, _edits(choices))
    wanted = [choice for choice in choices if choice.fix]
    if not plan.refusals or len(wanted) < 2:
        return tuple(choices), plan
    kept: list[Choice] = []
    for choice in choices:
        refusals = plan_edits(checkpoint, _edits([*kept, choice])).refusals
        if refusals and _edits(kept):
            choice = Choice(choice.finding, None, f"not together with the others: {refusals[0].reason}")
        kept.append(choice)
    return tuple(kept), plan_edits(checkpoint, _edits(kept))


def _edits(choices: Iterable[Choice]) -> list[Edit]:
    return [edit for choice in choices if choice.fix for edit in choice.fix.edits]


def _choose(finding: Finding, unsafe: bool, is_named: bool) -> Choice:
    """The safest fix with edits; a cause that is only possible is fixed when it was asked for by its code."""
    able = [fix for fix in finding.fixes if fix.edits]
    if able and finding.confidence == "possible" and not is_named:
        return Choice(finding, None, f"only a possible cause; name {finding.code} to fix it")
    lossless = next((fix for fix in able if fix.safety == "lossless"), None)
    if lossless is not None:
        return Choice(finding, lossless)
    if able and unsafe:
        return Choice(finding, able[0])
    manual = next((fix for fix in finding.fixes if not fix.edits), None)
    if able:
        lossy = f"with --unsafe: {able[0].title} (loses {able[0].loss or 'something'})"
        return Choice(finding, None, f"{manual.title}; or, {lossy}" if manual else f"only {lossy}")
    return Choice(finding, None, manual.title if manual else "no edit of these files fixes it")


__all__ = ["Applied", "Choice", "FixReport", "ForeignRecordsError", "RepairError", "fix", "forget", "undo"]
