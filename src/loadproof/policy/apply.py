"""What a policy makes of a report: the verdict stays what it is; findings are accepted, or weigh otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loadproof.core.case import Report
from loadproof.core.findings import Accepted, Finding
from loadproof.policy.base import Policy
from loadproof.policy.baseline import Baseline
from loadproof.policy.codes import matches


def applied(report: Report, policy: Policy, baseline: Baseline | None = None) -> Report:
    """The report with what the policy accepts set apart, and with its severities."""
    kept, accepted, regraded = [], [], []
    for finding in report.findings:
        reason = next(_reasons(finding, policy, baseline), None)
        if reason is not None:
            accepted.append(Accepted(finding, reason))
            continue
        graded = _graded(finding, policy)
        kept.append(graded)
        if graded is not finding:
            regraded.append(finding)
    if not accepted and not regraded:
        return report
    return replace(report, findings=tuple(kept), accepted=tuple(accepted), regraded=tuple(regraded))


def _reasons(finding: Finding, policy: Policy, baseline: Baseline | None) -> Iterator[str]:
    if policy.select and not any(matches(word, finding.code, finding.slug) for word in policy.select):
        yield "not selected"
    if any(matches(word, finding.code, finding.slug) for word in policy.ignore):
        yield "ignored"
    if baseline is not None and baseline.holds(finding):
        yield f"in {baseline.file}"


def _graded(finding: Finding, policy: Policy) -> Finding:
    """The longest word that names the code counts: LP301 stands above LP3."""
    words = [word for word in policy.severity if matches(word, finding.code, finding.slug)]
    if not words:
        return finding
    severity = policy.severity[max(words, key=len)]
    return finding if severity == finding.severity else replace(finding, severity=severity)
