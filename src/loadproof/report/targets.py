"""One report or many, seen alike."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Report
from loadproof.core.findings import Finding
from loadproof.core.results import Checked, Checks
from loadproof.report.escape import clean
from loadproof.report.words import plural, verdict_text

NO_CHECKPOINT = "no checkpoint"


def targets_of(result: Report | Checks, status: int = 0) -> tuple[Checked, ...]:
    """The targets of a check, also where it was one and `status` is what came of it."""
    if isinstance(result, Checks):
        return result.targets
    return (Checked(result.case.inventory.location, result, status=status),)


def verdict_of(target: Checked) -> str:
    """The verdict's word, also where nothing could be checked."""
    return NO_CHECKPOINT if target.report is None else target.report.verdict


def cause_of(target: Checked) -> str:
    """The first cause in one line, cleaned; for a checkpoint in order what the verdict says."""
    if target.report is None:
        return clean(target.error.removeprefix(f"{target.location}: "))
    finding = next((one for one in target.report.findings if one.severity == "error"), None)
    if finding is None and target.report.accepted:
        one = target.report.accepted[0]
        return f"accepted ({clean(one.reason)}): {headline_of(one.finding)}"
    return headline_of(finding) if finding else clean(verdict_text(target.report))


def headline_of(finding: Finding) -> str:
    """``LP301 layer-plan-mismatch: ...``."""
    return f"{finding.code} {finding.slug}: {clean(finding.headline)}"


def counted(targets: tuple[Checked, ...]) -> Iterator[str]:
    """``38 loads-wrong``, ``2 loads``: the worst first."""
    words = ("fails", "loads-wrong", NO_CHECKPOINT, "inconclusive", "loads")
    found = [verdict_of(target) for target in targets]
    return (f"{found.count(word):,} {word}" for word in words if word in found)


def tally_line(targets: tuple[Checked, ...]) -> str:
    """``40 checkpoints: 38 loads-wrong, 2 loads``."""
    return f"{plural(len(targets), 'checkpoint')}: {', '.join(counted(targets)) or 'nothing to check'}"
