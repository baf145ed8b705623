"""The commands that a report tells people to type."""

from __future__ import annotations

import shlex

from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.findings import Finding
from loadproof.report.escape import LONG, clean


def fix_command(report: Report, finding: Finding, fix: Fix) -> str:
    """The command that shows the plan of this repair."""
    command = f"loadproof fix {shlex.quote(report.case.inventory.location)} {finding.code}"
    return clean(command + (" --unsafe" if fix.safety == "lossy" else ""), LONG)
