"""Many reports as JSON lines: one document of schema 1.0 a line, so that a program reads one report and many alike."""

from __future__ import annotations

from loadproof.core.results import Checked, Checks
from loadproof.report.as_json import line
from loadproof.report.error_json import error_data
from loadproof.report.json_v1 import as_data


def render_checks_json(checks: Checks, **_: object) -> str:
    """A line for each target: its report, or an object with ``error`` where there is no checkpoint."""
    return "".join(map(_line, checks.targets))


def _line(target: Checked) -> str:
    if target.report is None:
        return line(error_data(target.status, target.error, target.location))
    return line(as_data(target.report))
