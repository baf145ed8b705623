"""A Code Quality report of GitLab: a list of issues, each with a fingerprint of its own."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from loadproof.core.case import Report
from loadproof.core.fingerprints import fingerprint
from loadproof.core.results import Checks
from loadproof.report.as_json import rendered, text
from loadproof.report.escape import clean
from loadproof.report.issues import Issue, issues_of, shown_path
from loadproof.report.targets import targets_of

_SEVERITIES = {"error": "critical", "warning": "minor", "info": "info"}


def render_gitlab(result: Report | Checks, *, status: int = 0, **_: object) -> str:
    """One JSON array; the list is empty where everything is in order."""
    issues = [issue for target in targets_of(result, status) for issue in issues_of(target)]
    return rendered([_entry(issue) for issue in issues])


def _entry(issue: Issue) -> dict[str, Any]:
    path = shown_path(issue.path)
    known = issue.code if issue.finding is None else fingerprint(issue.finding)
    return {
        "description": f"{issue.slug}: {clean(issue.text)}",
        "check_name": issue.code,
        "fingerprint": sha256(repr((known, issue.target, path)).encode("utf-8", "backslashreplace")).hexdigest(),
        "severity": _SEVERITIES[issue.severity],
        "location": {"path": text(path), "lines": {"begin": issue.line or 1}},
    }
