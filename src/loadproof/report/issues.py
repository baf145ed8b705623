"""What is wrong with a target, one entry a fault: the same list for every format that shows faults one by one.

A checkpoint that is not in order has at least one entry: where no finding says what is wrong, the verdict does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct

from loadproof.core.case import Report
from loadproof.core.checkpoint import Inventory
from loadproof.core.findings import Finding
from loadproof.core.results import Checked
from loadproof.core.severity import Severity
from loadproof.report.words import row_text, tally_text, verdict_text

NO_CHECKPOINT = "no-checkpoint"
UNEXPLAINED = "unexplained"
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


class Issue(Struct, frozen=True):
    """One fault: `path` and `line` are where it is shown, the checkpoint itself where no file of it is to blame."""

    code: str  # LP301, or the word of what is no finding
    slug: str
    severity: Severity
    text: str
    target: str
    path: str
    line: int | None = None
    finding: Finding | None = None
    accepted: str = ""  # why the policy sets it apart


def issues_of(target: Checked) -> tuple[Issue, ...]:
    """The findings in their order, then rows that none explains, then the verdict where nothing else says it."""
    if target.report is None:
        return (_beside(target, NO_CHECKPOINT, "error", target.error),)
    found = [*_findings(target, target.report), *_unexplained(target, target.report)]
    if not any(issue.severity == "error" for issue in found):
        found += _verdict(target, target.report)
    return tuple(found)


def accepted_of(target: Checked) -> tuple[Issue, ...]:
    """What the user's policy sets apart."""
    report = target.report
    if report is None:
        return ()
    return tuple(_issue(target, one.finding, report.case.inventory, one.reason) for one in report.accepted)


def file_and_line(finding: Finding, inventory: Inventory) -> tuple[str, int | None]:
    """Path (and line) of the first evidence that lies in the checkpoint, else the checkpoint itself."""
    files = {info.path for info in inventory.files}
    for evidence in finding.evidence:
        if evidence.where.sole_file in files:
            return os.path.join(_folder(inventory), evidence.where.file), evidence.where.line
    return inventory.location, None


def shown_path(path: str) -> str:
    """Relative to the root of the repository where a CI names it, else to the working folder, if it lies below."""
    absolute, root = os.path.abspath(path), os.path.join(_root(), "")
    return absolute.removeprefix(root) if absolute.startswith(root) else path


def _root() -> str:
    """The root that GitHub or GitLab name, if this is a folder of it; else the working folder."""
    here = os.getcwd()
    named = [os.path.abspath(root) for name in _ROOTS if (root := os.environ.get(name))]
    return next((root for root in named if os.path.join(here, "").startswith(os.path.join(root, ""))), here)


def _findings(target: Checked, report: Report) -> Iterator[Issue]:
    for finding in report.findings:
        yield _issue(target, finding, report.case.inventory)


def _issue(target: Checked, finding: Finding, inventory: Inventory, accepted: str = "") -> Issue:
    path, line = file_and_line(finding, inventory)
    sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    text = f"{finding.headline}{sure}"
    return Issue(finding.code, finding.slug, finding.severity, text, target.location, path, line, finding, accepted)


def _unexplained(target: Checked, report: Report) -> Iterator[Issue]:
    if report.unexplained:
        severity: Severity = "warning" if report.verdict == "loads" else "error"
        first, *others = report.unexplained
        more = ", ..." if others else ""
        text = f"{tally_text(report.unexplained)}; no known cause fits: {first.kind} {row_text(first)}{more}"
        yield _beside(target, UNEXPLAINED, severity, text)


def _verdict(target: Checked, report: Report) -> Iterator[Issue]:
    if report.verdict == "loads" or report.accepted or report.regraded:
        return
    severity: Severity = "warning" if report.verdict == "inconclusive" else "error"
    yield _beside(target, report.verdict, severity, f"{report.verdict}: {verdict_text(report)}")


def _beside(target: Checked, code: str, severity: Severity, text: str) -> Issue:
    return Issue(code, code, severity, text, target.location, target.location)


def _folder(inventory: Inventory) -> str:
    return inventory.location if inventory.single_file is None else os.path.dirname(inventory.location)
