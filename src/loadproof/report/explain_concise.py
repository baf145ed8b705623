"""The causes of an error text, one a line."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.report.escape import clean, guard_line


def render_causes(report: Report, **_: object) -> str:
    """``log.txt: possible[LP704] engine-not-checkpoint: ...``, most probable first; nothing where none is known."""
    location = report.case.inventory.location
    lines = [
        f"{location}: {finding.confidence}[{finding.code}] {finding.slug}: {finding.headline}"
        for finding in report.findings
    ]
    return "".join(guard_line(clean(line)) + "\n" for line in lines)
