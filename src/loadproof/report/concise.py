"""One clickable line per finding: ``path:line: error[LP301] slug: headline``."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.checkpoint import Inventory
from loadproof.core.findings import Finding
from loadproof.report.escape import clean, guard_line
from loadproof.report.issues import file_and_line
from loadproof.report.words import tally_text, verdict_text


def render_concise(report: Report, **_: object) -> str:
    """All findings, one a line, and one for rows that none explains; nothing for a checkpoint in order."""
    lines = [f"{place(finding, report.case.inventory)}: {_message(finding)}" for finding in report.findings]
    if report.unexplained:
        verdict = clean(verdict_text(report))
        told = f"unexplained: {tally_text(report.unexplained)}; no known cause fits ({report.verdict}: {verdict})"
        lines.append(f"{clean(report.case.inventory.location)}: {told}")
    return "".join(guard_line(line) + "\n" for line in lines)


def _message(finding: Finding) -> str:
    return f"{finding.severity}[{finding.code}] {finding.slug}: {clean(finding.headline)}"


def place(finding: Finding, inventory: Inventory) -> str:
    """Path (and line) of the first evidence that lies in the checkpoint, else the checkpoint itself."""
    path, line = file_and_line(finding, inventory)
    return clean(path if line is None else f"{path}:{line}")
