"""What is wrong with the answer about a checkpoint with several faults, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loadproof.api import check
from loadproof.api.better import is_better, is_progress
from loadproof.api.proof import outcome_of
from loadproof.core.case import Report
from loadproof.core.edits import Edit, Fix
from loadproof.core.findings import Finding
from loadproof.rules.rows import count_rows
from tests.rules.judge import remembered_expectations
from tests.several.faults import Several


def complaints(several: Several, folder: Path) -> list[str]:
    """Each expectation that the report does not meet: the set of causes, the first of them, what the repairs reach."""
    with remembered_expectations():
        report = check(several.build().write(folder))
        return [*_set(several, report), *_first(several, report), *_repairs(several, report)]


def _loud(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity != "info"]


def _set(several: Several, report: Report) -> Iterator[str]:
    left = [finding.slug for finding in _loud(report)]
    for fault in several.faults:
        found = next((slug for slug in left if slug in fault.slugs), None)
        if found is None:
            yield f"{fault.name} not found"
        else:
            left.remove(found)
    yield from (f"{slug} is none of the faults" for slug in left)
    if report.unexplained:
        yield "rows are left unexplained"
    explained = sum(finding.explains for finding in report.findings) + count_rows(report.unexplained)
    if explained != count_rows(report.case.outcome.rows):
        yield f"{explained} rows accounted for, {count_rows(report.case.outcome.rows)} reported"


def _first(several: Several, report: Report) -> Iterator[str]:
    first = next(iter(report.findings), None)
    if first is None or first.slug not in several.firsts:
        yield f"first is {first.slug if first else 'nothing'}, not one of {sorted(several.firsts)}"


def _repairs(several: Several, report: Report) -> Iterator[str]:
    """Every repair leaves less wrong, in the order of the findings; together they gain, and make it load."""
    plan: list[Edit] = []
    state = before = outcome_of(report, ())
    for finding in _loud(report):
        fix = _lossless(finding)
        if fix is None:
            continue
        made = outcome_of(report, [*plan, *fix.edits])
        if not is_progress(made, state):
            yield f"harmful: the repair of {finding.slug} is no gain"
        plan += fix.edits
        state = made
    if plan and not is_better(state, before):
        yield f"harmful: all repairs together are no gain ({state.verdict})"
    if several.lossless and state.verdict != "loads":
        yield f"the whole plan ends in {state.verdict}"


def _lossless(finding: Finding) -> Fix | None:
    return next((fix for fix in finding.fixes if fix.safety == "lossless" and fix.edits), None)
