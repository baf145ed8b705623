"""Every finding of many checkpoints, one a line."""

from __future__ import annotations

from loadproof.core.results import Checks
from loadproof.report.concise import render_concise
from loadproof.report.escape import clean, guard_line


def render_checks_concise(checks: Checks, **_: object) -> str:
    """The lines of each report, and one for each target that is no checkpoint."""
    return "".join(
        render_concise(target.report) if target.report is not None else f"{guard_line(clean(target.error))}\n"
        for target in checks.targets
    )
